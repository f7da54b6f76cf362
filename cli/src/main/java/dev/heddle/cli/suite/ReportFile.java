// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// One of Surefire's reports: `TEST-<class>.xml`, written when the tests of a class have ended.
final class ReportFile {
  private final String module;
  private final String mode;
  private final List<TestResult> results = new ArrayList<>();

  private ReportFile(String module, String mode) {
    this.module = module;
    this.mode = mode;
  }

  /// Its tests.
  ///
  /// @throws XMLStreamException when the file is no report, or is still being written
  static List<TestResult> read(Path file, String module, String mode)
      throws IOException, XMLStreamException {
    var report = new ReportFile(module, mode);
    try (InputStream in = Files.newInputStream(file)) {
      report.parse(xml(in));
    }
    return report.results;
  }

  static XMLStreamReader xml(InputStream in) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    return factory.createXMLStreamReader(in);
  }

  private void parse(XMLStreamReader xml) throws XMLStreamException {
    while (xml.hasNext()) {
      if (xml.next() == XMLStreamConstants.START_ELEMENT && xml.getLocalName().equals("testcase")) {
        testCase(xml);
      }
    }
  }

  private void testCase(XMLStreamReader xml) throws XMLStreamException {
    String type = attribute(xml, "classname");
    String method = attribute(xml, "name");
    var kind = TestResult.Kind.PASSED;
    String text = "";
    while (xml.hasNext()) {
      int event = xml.next();
      if (event == XMLStreamConstants.END_ELEMENT && xml.getLocalName().equals("testcase")) {
        break;
      }
      if (event == XMLStreamConstants.START_ELEMENT) {
        switch (xml.getLocalName()) {
          case "failure", "error", "skipped" -> {
            boolean skipped = xml.getLocalName().equals("skipped");
            kind = skipped ? TestResult.Kind.SKIPPED : TestResult.Kind.FAILED;
            String message = attribute(xml, "message");
            String trace = xml.getElementText(); // begins with the message, if there is one
            text = trace.isBlank() ? message : trace;
          }
          default -> {} // its output; the log has it
        }
      }
    }
    results.add(new TestResult(module, mode, type, method, kind, text));
  }

  private static String attribute(XMLStreamReader xml, String name) {
    String value = xml.getAttributeValue(null, name);
    return value == null ? "" : value;
  }
}
