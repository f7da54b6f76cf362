// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;

/// The command line: `heddle run`, `doctor`, `bench` and `test`.
@NullMarked
module dev.heddle.cli {
  requires dev.heddle;
  requires info.picocli;
  requires java.compiler;
  requires java.management;
  requires jdk.compiler;
  requires jdk.management;
  requires static org.jspecify;

  opens dev.heddle.cli to
      info.picocli;
}
