// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import javax.lang.model.SourceVersion;
import javax.tools.SimpleJavaFileObject;
import org.jspecify.annotations.Nullable;

/// The text of a program, as input of the compiler.
final class SourceFile extends SimpleJavaFileObject {
  private static final String SUFFIX = ".java";

  private final String shownName;
  private final String text;
  private final @Nullable Path path;

  private SourceFile(String shownName, Path place, String text, @Nullable Path path) {
    super(place.toUri(), Kind.SOURCE);
    this.shownName = shownName;
    this.text = text;
    this.path = path;
  }

  /// Reads `name`, or standard input when it is `-`.
  static SourceFile read(String name, InputStream stdin) throws SourceException {
    return name.equals("-") ? readStdin(stdin) : readFile(name);
  }

  private static SourceFile readStdin(InputStream stdin) throws SourceException {
    try {
      String text = new String(stdin.readAllBytes(), Charset.defaultCharset());
      return new SourceFile(
          "standard input", Path.of("Stdin" + SUFFIX).toAbsolutePath(), text, null);
    } catch (IOException e) {
      throw new SourceException("cannot read standard input: " + e.getMessage(), e);
    }
  }

  private static SourceFile readFile(String name) throws SourceException {
    try {
      Path path = Path.of(name);
      if (Files.isDirectory(path)) {
        throw new SourceException("'" + name + "' is a folder; name the source file to run");
      }
      String text = Files.readString(path, Charset.defaultCharset());
      boolean script = !name.endsWith(SUFFIX) && text.startsWith("#!");
      if (!script && !name.endsWith(SUFFIX)) {
        throw new SourceException("'" + name + "' is no source file: its name must end in .java");
      }
      // The first line of a script is for the shell; a blank one keeps the line numbers.
      return script
          ? new SourceFile(name, scriptPlace(path), text.replaceFirst("^.*", ""), null)
          : new SourceFile(name, path.toAbsolutePath(), text, path.toAbsolutePath().normalize());
    } catch (NoSuchFileException | InvalidPathException e) {
      throw new SourceException("there is no file '" + name + "'", e);
    } catch (IOException e) {
      throw new SourceException("cannot read '" + name + "': " + e, e);
    }
  }

  /// A script's name may be no Java name; the compiler needs one for a compact source file.
  private static Path scriptPlace(Path script) {
    String name = script.getFileName().toString().replaceFirst("[.].*", "");
    return script
        .resolveSibling((SourceVersion.isIdentifier(name) ? name : "Script") + SUFFIX)
        .toAbsolutePath();
  }

  /// The folder of this file's companions if it is in package `room`; null if it can have none.
  @Nullable Path root(String room) throws SourceException {
    if (path == null) {
      return null;
    }
    Path root = path.getParent();
    String[] parts = room.isEmpty() ? new String[0] : room.split("[.]");
    for (int i = parts.length - 1; i >= 0; i--) {
      boolean fits = root != null && root.getFileName() != null && root.endsWith(parts[i]);
      if (!fits || root == null) {
        throw new SourceException(
            "'%s' is in package %s, so it must stand in a folder that ends in %s"
                .formatted(shownName, room, room.replace('.', '/')));
      }
      root = root.getParent();
    }
    return root;
  }

  /// The simple name of the class this file should declare.
  String simpleName() {
    String file = Path.of(toUri()).getFileName().toString();
    return file.substring(0, file.length() - SUFFIX.length());
  }

  @Override
  public String getName() {
    return shownName;
  }

  @Override
  public CharSequence getCharContent(boolean ignoreEncodingErrors) {
    return text;
  }

  /// The file may contain any class, as under `java FILE.java`.
  @Override
  public boolean isNameCompatible(String simpleName, Kind kind) {
    return kind == Kind.SOURCE && SourceVersion.isIdentifier(simpleName);
  }
}
