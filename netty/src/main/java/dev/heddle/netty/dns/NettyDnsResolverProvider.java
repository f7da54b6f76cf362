// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import dev.heddle.coroutine.Context;
import dev.heddle.eventloop.EventLoopTurns;
import dev.heddle.eventloop.LoopDriver;
import dev.heddle.io.dns.NameResolver;
import dev.heddle.io.dns.NameResolverProvider;
import dev.heddle.netty.handler.NettyDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Provides a resolver for each loop on one of this module's drivers, created at the first look-up.
///
/// On Linux only: other systems are not configured by `/etc/resolv.conf`.
public final class NettyDnsResolverProvider implements NameResolverProvider {
  private static final String RESOLV_CONF = "heddle.dns.resolv.conf";
  private static final String HOSTS = "heddle.dns.hosts";
  private static final boolean LINUX = System.getProperty("os.name").equals("Linux");
  private static final Context.Key<LoopDnsResolver> KEY = Context.Key.named("the loop's names");

  /// For the JDK's service loader.
  public NettyDnsResolverProvider() {}

  @Override
  public @Nullable NameResolver current() {
    // in a handler, the event loop would wait for itself
    boolean hasOne =
        LINUX && !EventLoopTurns.isCurrent() && LoopDriver.current() instanceof NettyDriver;
    return hasOne ? ofLoop() : null;
  }

  private static LoopDnsResolver ofLoop() {
    Context root = Context.root();
    LoopDnsResolver names = root.findLocal(KEY);
    if (names == null) {
      String own = hostName();
      names =
          new LoopDnsResolver(
              new SystemFile<>(
                  path(RESOLV_CONF, "/etc/resolv.conf"),
                  lines -> ResolvConf.parse(lines, System.getenv(), own)),
              new SystemFile<>(path(HOSTS, "/etc/hosts"), HostsFile::parse),
              own,
              LoopDnsResolver.PATIENCE);
      root.set(KEY, names);
    }
    return names;
  }

  private static Path path(String property, String usual) {
    return Path.of(System.getProperty(property, usual));
  }

  private static String hostName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      return ""; // safe: the machine's own name is then queried like any other
    }
  }
}
