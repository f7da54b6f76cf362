// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/// The sockets that the parent process left open for this one, by systemd's protocol.
///
/// `sd_listen_fds` unsets the environment so that the descriptors are adopted only once. A JVM
/// cannot do that, so `TAKEN` records it.
final class InheritedSockets {
  private static final int FIRST_FD = 3; // SD_LISTEN_FDS_START
  private static final int MAX_SOCKETS = 1 << 16; // more than any descriptor limit allows
  private static final String UNNAMED = "unknown"; // from sd_listen_fds_with_names
  static final AtomicBoolean TAKEN = new AtomicBoolean(); // tests reset it

  private InheritedSockets() {}

  static Map<String, List<Listener>> take(
      ReactorDriver driver, Map<String, String> environment, long pid) throws IOException {
    List<String> names = names(environment, pid);
    if (names.isEmpty()) {
      return Map.of();
    }
    if (!TAKEN.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "the inherited sockets were already adopted; pass the listeners on");
    }
    Map<Integer, ListenerDescriptor> adopted = new LinkedHashMap<>();
    boolean done = false;
    try {
      adopt(driver, names, adopted);
      done = true;
    } finally {
      if (!done) {
        adopted.values().forEach(driver::release); // the descriptors stay open
        TAKEN.set(false);
      }
    }
    return byName(names, adopted);
  }

  /// Adopts the listening sockets. Valid descriptors of other kinds, datagram sockets for example,
  /// stay as they are.
  private static void adopt(
      ReactorDriver driver, List<String> names, Map<Integer, ListenerDescriptor> adopted)
      throws IOException {
    IOException first = null;
    for (int i = 0; i < names.size(); i++) {
      try {
        adopted.put(i, driver.adoptListener(FIRST_FD + i));
      } catch (DescriptorTypeException e) {
        first = first == null ? refused(names.get(i), e) : first;
      } catch (IOException e) {
        throw refused(names.get(i), e);
      }
    }
    if (adopted.isEmpty() && first != null) {
      throw first; // nothing to serve: probably a configuration mistake
    }
  }

  private static IOException refused(String name, IOException why) {
    return new IOException("the inherited socket '" + name + "': " + why.getMessage(), why);
  }

  private static Map<String, List<Listener>> byName(
      List<String> names, Map<Integer, ListenerDescriptor> adopted) {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    Map<String, List<Listener>> all = new LinkedHashMap<>();
    adopted.forEach((i, listener) ->
        all.computeIfAbsent(names.get(i), _ -> new ArrayList<>())
            .add(StreamSockets.adopted(scheduler, listener)));
    all.replaceAll((_, listeners) -> List.copyOf(listeners));
    return Collections.unmodifiableMap(all);
  }

  /// The name of each descriptor from 3 on; empty when they are not for this process.
  static List<String> names(Map<String, String> environment, long pid) throws IOException {
    String count = environment.get("LISTEN_FDS");
    String owner = environment.get("LISTEN_PID");
    if (count == null || owner == null || number("LISTEN_PID", owner) != pid) {
      return List.of();
    }
    long many = number("LISTEN_FDS", count);
    if (many > MAX_SOCKETS) {
      throw new IOException("LISTEN_FDS=" + count + ": more sockets than a service manager passes");
    }
    String[] given = environment.getOrDefault("LISTEN_FDNAMES", "").split(":", -1);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      names.add(i < given.length && !given[i].isEmpty() ? given[i] : UNNAMED);
    }
    return names;
  }

  private static long number(String variable, String value) throws IOException {
    try {
      return Long.parseUnsignedLong(value);
    } catch (NumberFormatException e) {
      throw new IOException(variable + "=" + value + " is not a number", e);
    }
  }
}
