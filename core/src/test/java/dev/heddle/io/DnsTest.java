// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Names and addresses, from a hosts file, in a JVM of its own.
@Tag("once")
@Proves("host names")
class DnsTest {
  /// Looks up what its hosts file says.
  public static final class HostsProgram {
    private HostsProgram() {}

    public static void main(String[] args) {
      Heddle.run(() -> {
        System.out.println("all " + Dns.resolve("several.test"));
        InetAddress one = Dns.resolve("one.test").getFirst();
        System.out.println("one " + one.getHostAddress());
        System.out.println("name " + Dns.reverse(InetAddress.getByAddress(one.getAddress())));
        try {
          Dns.resolve("none.test");
        } catch (UnknownHostException e) {
          System.out.println("unknown " + e.getMessage());
        }
        try {
          Dns.reverse(InetAddress.getByAddress(new byte[] {10, 9, 9, 9}));
        } catch (UnknownHostException e) {
          System.out.println("unnamed " + e.getMessage());
        }
      });
    }
  }

  /// Looks a name up as any library would.
  public static final class LibraryProgram {
    private LibraryProgram() {}

    public static void main(String[] args) {
      Heddle.run(() -> {
        System.out.println(InetAddress.getAllByName("localhost").length > 0);
        boolean beside =
            Thread.getAllStackTraces().keySet().stream()
                .anyMatch(t -> t.getName().startsWith("heddle-lookup-"));
        System.out.println(beside ? "beside the loop" : "on the loop");
      });
    }
  }

  @Test
  @Tag("T13.5")
  @Shows(Aspect.INTEGRITY)
  void namesAndAddresses_areThoseOfTheSystem(@TempDir Path folder) throws Exception {
    Path hosts = folder.resolve("hosts");
    Files.writeString(hosts, "10.0.0.1 one.test\n10.0.0.2 several.test\n10.0.0.3 several.test\n");
    ChildJvm.Result result =
        ChildJvm.of(HostsProgram.class).with("-Djdk.net.hosts.file=" + hosts).run();
    assertThat(result.output())
        .contains("all [several.test/10.0.0.2, several.test/10.0.0.3]")
        .contains("one 10.0.0.1")
        .contains("name one.test")
        .containsPattern("unknown .*none.test")
        .contains("unnamed no name for 10.9.9.9");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  @Tag("T13.5")
  void lookup_ofAnyLibrary_isMadeBesideTheLoop() throws Exception {
    ChildJvm.Result result = ChildJvm.of(LibraryProgram.class).run();
    assertThat(result.output()).contains("true").contains("beside the loop");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void resolver_ofTheJdk_canBeLeftInPlace() throws Exception {
    ChildJvm.Result result = ChildJvm.of(LibraryProgram.class).with("-Dheddle.dns=jdk").run();
    assertThat(result.output()).contains("true").contains("on the loop");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void resolver_thatIsNotKnown_isRefusedByName() throws Exception {
    ChildJvm.Result result = ChildJvm.of(LibraryProgram.class).with("-Dheddle.dns=fast").run();
    assertThat(result.output()).contains("heddle.dns=fast").contains("use loop, thread or jdk");
    assertThat(result.exitCode()).isOne();
  }

  @Test
  void hostWithoutAName_isRefused() {
    Heddle.run(() -> {
      String why = "'' is not a host name: it is empty";
      assertThatThrownBy(() -> Dns.resolve(""))
          .isInstanceOf(UnknownHostException.class)
          .hasMessage(why);
      assertThatThrownBy(() -> Tcp.connect("", 1)).hasMessage(why);
      assertThatThrownBy(() -> Tls.connect("", 1, TlsOptions.defaults())).hasMessage(why);
    });
  }

  @Test
  void names_askedForOutsideOfLoops_areRefusedNamingHeddleRun() {
    assertThatThrownBy(() -> Dns.resolve("localhost"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
    assertThatThrownBy(() -> Dns.reverse(InetAddress.getLoopbackAddress()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
  }
}
