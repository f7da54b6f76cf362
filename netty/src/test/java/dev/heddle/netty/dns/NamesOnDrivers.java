// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.netty.OnDriver;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/// Resolvers of loops on each driver, and name servers that answer as a test says.
abstract class NamesOnDrivers implements OnDriver {
  static final LookupPolicy ANY =
      LookupPolicy.of(LookupPolicy.IPV4 | LookupPolicy.IPV6 | LookupPolicy.IPV4_FIRST);
  static final LookupPolicy SIX_FIRST =
      LookupPolicy.of(LookupPolicy.IPV4 | LookupPolicy.IPV6 | LookupPolicy.IPV6_FIRST);
  static final Duration LONG = Duration.ofHours(1); // longer than any test runs
  static final LookupPolicy FOUR = LookupPolicy.of(LookupPolicy.IPV4);

  @Parameter String driver;
  @TempDir Path folder;

  final Zone zone = new Zone();
  private final List<NameServer> servers = new ArrayList<>();

  @Override
  public String driver() {
    return driver;
  }

  @AfterEach
  void closeServers() throws IOException {
    for (NameServer server : servers) {
      server.close();
    }
  }

  NameServer open(NameServer server) {
    servers.add(server);
    return server;
  }

  NameServer ofZone() throws IOException {
    return open(NameServer.of(zone));
  }

  NameServer silent() throws IOException {
    return open(NameServer.of(_ -> null));
  }

  void run(Action main) {
    // else the first look-ups of a JVM load it on threads, and go on in any order
    boolean _ = WarmUp.run(NioDatagramChannel.class);
    Heddle.run(HeddleOptions.defaults().withDriver(driver), main);
  }

  /// @param resolvConf what it says; where it says nothing, a slow machine has time to answer
  LoopDnsResolver names(String resolvConf) throws IOException {
    Path file = Files.createTempFile(folder, "resolv", ".conf");
    return names(Files.writeString(file, "options timeout:30\n" + resolvConf));
  }

  LoopDnsResolver names(Path resolvConf) {
    return new LoopDnsResolver(
        new SystemFile<>(resolvConf, lines -> ResolvConf.parse(lines, Map.of(), "own")),
        new SystemFile<>(folder.resolve("hosts"), HostsFile::parse),
        "own",
        LONG);
  }

  /// A resolver that asks each server once, and waits for it longer than any test runs.
  LoopDnsResolver patient(NameServer... of) throws IOException {
    return patient(lines(of));
  }

  /// The same, of servers as resolv.conf has them.
  LoopDnsResolver patient(String servers) throws IOException {
    return patient(servers, LONG);
  }

  /// @param withOther how long it waits for the other family's addresses when it has one's
  LoopDnsResolver patient(String servers, Duration withOther) throws IOException {
    Path file = Files.writeString(Files.createTempFile(folder, "resolv", ".conf"), servers);
    return new LoopDnsResolver(
        new SystemFile<>(
            file,
            lines -> {
              ResolvConf conf = ResolvConf.parse(lines, Map.of(), "own");
              return new ResolvConf(conf.servers(), List.of(), 1, LONG, 1, false, false);
            }),
        new SystemFile<>(folder.resolve("hosts"), HostsFile::parse),
        "own",
        withOther);
  }

  LoopDnsResolver names(NameServer... of) throws IOException {
    return names(lines(of));
  }

  private static String lines(NameServer... of) {
    return String.join("", Stream.of(of).map(NameServer::line).toList());
  }

  static void awaitQuestions(NameServer server, int count) {
    while (server.asked().size() < count) {
      Heddle.delay(Duration.ofMillis(1));
    }
  }

  static List<String> texts(List<InetAddress> addresses) {
    return addresses.stream().map(InetAddress::getHostAddress).toList();
  }
}
