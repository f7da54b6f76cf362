// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;

/// The command line: `heddle run`, `ps`, `dump`, `top`, `console`, `trace`, `doctor`, `test` and
/// `bench`.
@NullMarked
@SuppressWarnings("requires-automatic") // JLine has names of modules only
module dev.heddle.cli {
  requires dev.heddle;
  requires dev.heddle.netty; // serves the console
  requires dev.heddle.process; // for the programs that it runs
  requires info.picocli;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.transport;
  requires java.compiler;
  requires java.logging;
  requires java.management;
  requires java.xml;
  requires jdk.attach;
  requires jdk.compiler;
  requires jdk.management;
  requires org.jline.terminal;
  requires org.jline.terminal.ffm;
  requires static org.jspecify;

  opens dev.heddle.cli to
      info.picocli;
}
