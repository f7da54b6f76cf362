// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.io.Dns;
import dev.heddle.io.Server;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import dev.heddle.netty.OnDriver;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Look-ups by the front doors, Heddle's and the JDK's: they reach the loop's resolver.
@EnabledOnOs(OS.LINUX)
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T13.5.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LibraryLookupsTest implements OnDriver {
  private static int names; // the JDK keeps those that it has found

  @Parameter String driver;
  @TempDir Path folder;

  private final Zone zone = new Zone();
  private String name = "";
  private NameServer server;

  @Override
  public String driver() {
    return driver;
  }

  @BeforeEach
  void open() throws IOException {
    name = "name" + names++ + ".test";
    zone.address(name, 60, "10.0.0.1");
    server = NameServer.of(zone);
    Path resolvConf =
        Files.writeString(folder.resolve("resolv.conf"), server.line() + "options timeout:30\n");
    System.setProperty("heddle.dns.resolv.conf", resolvConf.toString());
  }

  @AfterEach
  void close() throws IOException {
    System.clearProperty("heddle.dns.resolv.conf");
    if (server != null) { // it is when the test is skipped
      server.close();
    }
  }

  private void run(Action main) {
    Heddle.run(HeddleOptions.defaults().withDriver(driver), main);
  }

  @Test
  void lookupOfAnyLibrary_isMadeOnTheLoop() {
    run(() -> {
      assertThat(InetAddress.getAllByName(name))
          .extracting(InetAddress::toString)
          .containsExactly(name + "/10.0.0.1");
      assertThatThrownBy(() -> InetAddress.getByName("nx" + name))
          .isInstanceOf(UnknownHostException.class)
          .hasMessageContaining("there is no such name");
    });
    assertThat(server.asked()).contains(name + " 1", "nx" + name + " 1");
  }

  @Test
  void heddlesOwn_areMadeOnTheLoop_andAddressesAsTextAreNot() {
    zone.service("_s._tcp." + name, 60, 0, 0, 1, name).text(name, 60, "text");
    zone.pointer("1.0.0.10.in-addr.arpa", name);
    run(() -> {
      assertThat(Dns.resolve(name))
          .extracting(InetAddress::getHostAddress)
          .containsOnly("10.0.0.1");
      assertThat(Dns.resolveSrv("_s._tcp." + name).getFirst().target()).isEqualTo(name);
      assertThat(Dns.resolveTxt(name).getFirst().text()).isEqualTo("text");
      assertThat(Dns.reverse(InetAddress.ofLiteral("10.0.0.1"))).isEqualTo(name);
      for (String text : List.of("10.0.0.2", "::1", "[::1]", "127.1")) {
        assertThat(Dns.resolve(text)).hasSize(1);
      }
    });
    assertThat(server.asked()).allMatch(asked -> asked.contains(name) || asked.contains("arpa"));
  }

  @Test
  void connectionByName_isMadeToTheAddressThatListens() {
    zone.address("web." + name, 60, "127.0.0.2", "127.0.0.1");
    run(() -> {
      InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
      try (Server echo = Tcp.serve(any, client -> client.transferTo(client));
          StreamSocket client =
              Tcp.connect("web." + name, ((InetSocketAddress) echo.address()).getPort())) {
        client.write(StandardCharsets.UTF_8.encode("hello\n"));
        assertThat(client.readLine()).isEqualTo("hello");
      }
    });
  }

  @Test
  void lookupInAHandlerOfNettys_isMadeBesideTheLoop() {
    run(() -> {
      HeddleEventLoop loop = HeddleEventLoop.current();
      Promise<InetAddress> found = loop.newPromise();
      loop.execute(() -> {
        try {
          found.setSuccess(InetAddress.getByName("localhost"));
        } catch (UnknownHostException e) {
          found.setFailure(e);
        }
      });
      assertThat(NettyFutures.await(found).isLoopbackAddress()).isTrue();
    });
    assertThat(server.asked()).isEmpty();
  }

  private static final class Pinned {
    static final List<String> FOUND = new ArrayList<>();

    static {
      try {
        FOUND.add(InetAddress.getByName("localhost").getHostName());
      } catch (UnknownHostException e) {
        throw new AssertionError(e);
      }
    }

    static List<String> found() {
      return FOUND;
    }
  }

  @Test
  void lookupInsideAClassInitialiser_isMade() {
    run(() -> assertThat(Pinned.found()).containsExactly("localhost"));
  }

  @Test
  void lookupWhileTheLoopEnds_isMade() {
    List<String> found = new ArrayList<>();
    run(() -> {
      Heddle.onShutdown(
          "looks up at the end",
          () -> found.add("" + Dns.resolve("localhost").getFirst().isLoopbackAddress()));
      Heddle.background(
          "cancelled",
          () -> {
            try {
              Heddle.promise("never").future().await();
            } finally {
              found.add("" + Dns.resolve(name));
            }
          });
      Heddle.yieldNow();
    });
    assertThat(found).containsExactly("[" + name + "/10.0.0.1]", "true");
  }

  @Test
  void resolverOfTheSystem_canBeAskedFor() {
    System.setProperty("heddle.dns", "thread");
    try {
      run(() -> {
        assertThat(Dns.resolve("localhost")).isNotEmpty();
        assertThatThrownBy(() -> Dns.resolveSrv("_s._tcp.test"))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("SRV records")
            .hasMessageContaining(driver);
      });
    } finally {
      System.clearProperty("heddle.dns");
    }
    assertThat(server.asked()).isEmpty();
  }
}
