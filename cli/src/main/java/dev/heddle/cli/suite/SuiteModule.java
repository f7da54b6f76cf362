// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// A module of the Maven project.
///
/// @param folder its folder, from the root of the project
/// @param artifact its artifactId, which is what Maven calls it
/// @param title its name in Maven's summary
public record SuiteModule(String folder, String artifact, String title) {
  /// Its short name: the last name of its folder.
  public String name() {
    return Path.of(folder).getFileName().toString();
  }

  /// The modules of the project in `root`, in the order of its pom.
  static List<SuiteModule> of(Path root) throws IOException {
    var modules = new ArrayList<SuiteModule>();
    for (String folder : values(root.resolve("pom.xml"), "project/modules/module")) {
      Path pom = root.resolve(folder).resolve("pom.xml");
      String artifact = values(pom, "project/artifactId").getFirst();
      List<String> titles = values(pom, "project/name");
      modules.add(new SuiteModule(folder, artifact, titles.isEmpty() ? artifact : titles.get(0)));
    }
    return modules;
  }

  /// The texts of the elements at `path`, names joined by slashes.
  private static List<String> values(Path pom, String path) throws IOException {
    try (InputStream in = Files.newInputStream(pom)) {
      List<String> values = values(ReportFile.xml(in), path);
      if (values.isEmpty() && path.endsWith("artifactId")) {
        throw new IOException(pom + " names no artifactId");
      }
      return values;
    } catch (XMLStreamException e) {
      throw new IOException(pom + " is not a pom: " + e.getMessage(), e);
    }
  }

  private static List<String> values(XMLStreamReader xml, String path) throws XMLStreamException {
    var values = new ArrayList<String>();
    Deque<String> open = new ArrayDeque<>();
    while (xml.hasNext()) {
      int event = xml.next();
      if (event == XMLStreamConstants.END_ELEMENT) {
        open.removeLast();
      } else if (event == XMLStreamConstants.START_ELEMENT) {
        open.addLast(xml.getLocalName());
        if (String.join("/", open).equals(path)) {
          values.add(xml.getElementText().strip());
          open.removeLast(); // the text was read up to the element's end
        }
      }
    }
    return values;
  }
}
