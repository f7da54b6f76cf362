// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;

/// The command line: `heddle run`, `ps`, `dump`, `doctor`, `test` and `bench`.
@NullMarked
module dev.heddle.cli {
  requires dev.heddle;
  requires dev.heddle.process; // for the programs that it runs
  requires info.picocli;
  requires java.compiler;
  requires java.logging;
  requires java.management;
  requires java.xml;
  requires jdk.attach;
  requires jdk.compiler;
  requires jdk.management;
  requires static org.jspecify;

  opens dev.heddle.cli to
      info.picocli;
}
