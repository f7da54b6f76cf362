// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import dev.heddle.observe.PlatformReport;
import dev.heddle.scheduler.context.MonitorRetry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a loop needs of the Java runtime: little, and what is missing is refused by name.
@Tag("T20")
@Tag("once")
class PlatformTest {
  /// A timer, a blocking call and a connection to itself.
  public static final class ServingProgram {
    private ServingProgram() {}

    public static void main(String[] args) {
      System.out.println(
          Heddle.run(() -> {
            Heddle.delay(Duration.ofMillis(1));
            return Heddle.offload(() -> "offloaded") + ", " + echoed((byte) 'x');
          }));
    }

    private static String echoed(byte sent) throws IOException {
      try (Listener listener =
          Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
        Heddle.launch(
            "echo",
            () -> {
              try (AsyncIo peer = listener.accept()) {
                ByteBuffer got = ByteBuffer.allocate(1);
                peer.read(got);
                peer.write(got.flip());
              }
            });
        try (AsyncIo stream = Tcp.connect(listener.localAddress())) {
          stream.write(ByteBuffer.wrap(new byte[] {sent}));
          ByteBuffer back = ByteBuffer.allocate(1);
          stream.read(back);
          return "echoed " + (char) back.get(0);
        }
      }
    }
  }

  /// Says which flag it needs, and runs with the one it has.
  public static final class FlagProgram {
    private FlagProgram() {}

    public static void main(String[] args) {
      System.out.println("needs " + PlatformReport.probe().flag());
      System.out.println(Heddle.run(() -> "ran"));
    }
  }

  /// Says what this JDK lacks for threads that it leaves waiting for a monitor.
  public static final class MonitorsProgram {
    private MonitorsProgram() {}

    public static void main(String[] args) {
      System.out.println("lacks " + MonitorRetry.problem());
    }
  }

  /// Asks for signals.
  public static final class SignalsProgram {
    private SignalsProgram() {}

    public static void main(String[] args) {
      Heddle.run(HeddleOptions.defaults().withSignalHandling(), () -> null);
    }
  }

  @Test
  @Tag("trap-44")
  void flag_thatTheReportNames_isTheOneThatLoopsRunWith() throws Exception {
    ChildJvm.Result result = ChildJvm.of(FlagProgram.class).run();
    assertThat(result.output())
        .contains("needs --add-opens java.base/java.lang=ALL-UNNAMED") // a child has just this one
        .contains("ran");
  }

  @Test
  @Tag("trap-42")
  void system_whereNoThreadCanBeMadeToTryAgain_isNamed_andNoOther() throws Exception {
    ChildJvm.Result here = ChildJvm.of(MonitorsProgram.class).run();
    assertThat(here.output()).contains("lacks null");
    ChildJvm.Result windows = ChildJvm.of(MonitorsProgram.class).with("-Dos.name=Windows 11").run();
    assertThat(windows.output()).contains("lacks JDK-8369019", "on this system");
  }

  @Test
  @Tag("T22")
  void jvmWithoutContinuations_isRefusedByName() throws Exception {
    ChildJvm.Result result =
        ChildJvm.of(ServingProgram.class)
            .with("-XX:+UnlockExperimentalVMOptions", "-XX:-VMContinuations")
            .run();
    assertThat(result.output()).contains("VMContinuations").contains("start Java without");
    assertThat(result.exitCode()).isOne();
  }

  private static ChildJvm.Result on(String modules, Class<?> program) throws Exception {
    return ChildJvm.of(program).with("--limit-modules", modules).run();
  }

  @Test
  void loop_onARuntimeOfTwoModules_servesTimersThreadsAndSockets() throws Exception {
    ChildJvm.Result result = on("java.base,java.management", ServingProgram.class);
    assertThat(result.output()).contains("offloaded, echoed x");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void loop_withoutTheModuleItNeeds_isRefusedByName() throws Exception {
    ChildJvm.Result result = on("java.base", ServingProgram.class);
    assertThat(result.output()).contains("java.management").contains("--add-modules");
    assertThat(result.exitCode()).isOne();
  }

  @Test
  void signals_withoutTheirModule_areRefusedByName() throws Exception {
    ChildJvm.Result result = on("java.base,java.management", SignalsProgram.class);
    assertThat(result.output()).contains("SIGINT").contains("jdk.unsupported");
    assertThat(result.exitCode()).isOne();
  }
}
