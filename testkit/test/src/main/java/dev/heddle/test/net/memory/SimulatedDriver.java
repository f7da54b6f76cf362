// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.io.dns.NameResolver;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.DatagramDescriptor;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.PipeDescriptors;
import dev.heddle.reactor.driver.ReadinessCounts;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.reactor.driver.Support;
import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.file.memory.MemoryFiles;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.time.Timeline;
import dev.heddle.test.time.Turns;
import java.net.InetAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The driver of a loop that runs on a host of a simulated network.
///
/// **Thread** the loop's; what happens in the network reaches it in the turn of any loop.
final class SimulatedDriver implements HostDriver, SimulatedDescriptor.Owner {
  /*
   * The network changes the ends of sockets at any time: in the turn of this loop or of another.
   * Such a change only queues the descriptor. A poll looks at each queued descriptor and notifies
   * its listeners if it is ready by then. arm() queues a descriptor that is ready already, so its
   * listener is notified by the next poll: readiness is level-triggered.
   *
   * The queue is kept in the order of the changes, which is that of the seed.
   *
   * A poll sleeps in its turn, and lets the world go on meanwhile. See Turns.
   */
  private static final String NAME = "simulated";
  private static final Map<Capability, Support> NETWORK = Map.copyOf(network());

  private final MemoryHost host;
  private final SimulatedNames names;
  private final Turns.Turn turn;
  private final @Nullable SimulatedFiles ownFiles;
  private final @Nullable FileDriver files;
  private final Map<Capability, Support> capabilities;

  // the holder of the turn
  private final ReadinessCounts counts = new ReadinessCounts();
  private final Set<SimulatedDescriptor> open = new LinkedHashSet<>();
  private final ArrayDeque<SimulatedDescriptor> changed = new ArrayDeque<>();
  private final ArrayDeque<Runnable> completions = new ArrayDeque<>();
  private boolean crashed;

  /// A driver for a loop that has not begun.
  ///
  /// @param host where its sockets are
  /// @param names looks up names from there
  /// @param turn in which it sleeps
  /// @param clock the time of operations on files
  /// @param own the files of the host; null: it has none but the machine's
  SimulatedDriver(
      MemoryHost host,
      SimulatedNames names,
      Turns.Turn turn,
      Timeline clock,
      @Nullable SimulatedFiles own) {
    this.host = host;
    this.names = names;
    this.ownFiles = own;
    this.files = own == null ? null : MemoryFiles.driver(own, clock, completions::add);
    this.capabilities = Support.withOffloaded(NETWORK);
    this.turn = turn;
    turn.serve(this, this::hasWork);
  }

  private static Map<Capability, Support> network() {
    Support memory = Support.natively("in memory");
    Support real = Support.unsupported("other code's descriptors are outside the simulation");
    Support missing = Support.unsupported("not simulated");
    Map<Capability, Support> all = new EnumMap<>(Capability.class);
    List.of(Capability.TCP, Capability.UNIX, Capability.UDP, Capability.PIPE)
        .forEach(served -> all.put(served, memory));
    List.of(
            Capability.ADOPTED_CHANNEL,
            Capability.ADOPTED_DESCRIPTOR,
            Capability.POLL,
            Capability.RAW_POLL)
        .forEach(foreign -> all.put(foreign, real));
    List.of(
            Capability.UNIX_DATAGRAM,
            Capability.ABSTRACT_ADDRESS,
            Capability.PEER_CREDENTIALS,
            Capability.DESCRIPTOR_PASSING)
        .forEach(absent -> all.put(absent, missing));
    return all;
  }

  @Override
  public MemoryHost host() {
    return host;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Map<Capability, Support> capabilities() {
    return capabilities;
  }

  // ---- descriptors ----

  @Override
  public SocketDescriptor openSocket(ProtocolFamily family) {
    return new SimulatedSocket(this, family, null);
  }

  @Override
  public ListenerDescriptor openListener(ProtocolFamily family) {
    return new SimulatedListener(this, family);
  }

  @Override
  public DatagramDescriptor openDatagram(ProtocolFamily family) {
    if (family == StandardProtocolFamily.UNIX) {
      require(Capability.UNIX_DATAGRAM);
    }
    return new SimulatedDatagram(this, family);
  }

  @Override
  public PipeDescriptors openPipe() {
    return SimulatedStream.pipe(this);
  }

  @Override
  public Turns.Turn turn() {
    return turn;
  }

  @Override
  public NameResolver names() {
    return names;
  }

  @Override
  public List<InetAddress> addressesNow(String name) throws UnknownHostException {
    return names.addressesNow(name);
  }

  @Override
  public String nameNow(InetAddress address) {
    return names.nameNow(address);
  }

  @Override
  public InetAddress address() {
    return host.address();
  }

  @Override
  public boolean isReady(Descriptor descriptor, Direction direction) {
    return ((SimulatedDescriptor) descriptor).isReadyNow(direction);
  }

  @Override
  public int available(SocketDescriptor socket) {
    return ((SimulatedStream) socket).available();
  }

  @Override
  public @Nullable FileDriver files() {
    return files;
  }

  @Override
  public ReadinessCounts counts() {
    return counts;
  }

  @Override
  public void opened(SimulatedDescriptor descriptor) {
    open.add(descriptor);
  }

  @Override
  public void closed(SimulatedDescriptor descriptor) {
    open.remove(descriptor);
  }

  @Override
  public void changed(SimulatedDescriptor descriptor) {
    if (!descriptor.queued) {
      descriptor.queued = true;
      changed.add(descriptor);
    }
  }

  // ---- the carrier ----

  private boolean hasWork() {
    changed.removeIf(descriptor -> {
      boolean idle = !descriptor.isDue();
      descriptor.queued = !idle;
      return idle;
    });
    return !changed.isEmpty() || !completions.isEmpty();
  }

  @Override
  public boolean isArmed() {
    return counts.armed() > 0 || !completions.isEmpty() || turn.expectsMore();
  }

  @Override
  public boolean hasEmbeddedEventLoop() {
    return turn.expectsMore();
  }

  @Override
  public int waits() {
    return counts.armed();
  }

  @Override
  public int poll(long deadlineNanos) {
    counts.beginPoll();
    deliver();
    turn.sleep(counts.notified() > 0 ? Turns.NO_WAIT : deadlineNanos);
    deliver();
    return counts.notified();
  }

  private void deliver() {
    for (int left = changed.size(); left > 0; left--) {
      SimulatedDescriptor descriptor = changed.remove();
      descriptor.queued = false;
      descriptor.deliver();
    }
    for (int left = completions.size(); left > 0; left--) {
      completions.remove().run();
      counts.completed();
    }
  }

  @Override
  public void wakeup() {
    turn.wakeup();
  }

  @Override
  public void crash() {
    crashed = true;
    host.crash();
    if (ownFiles != null) {
      ownFiles.crash();
    }
  }

  @Override
  public void close() {
    if (!crashed) {
      List.copyOf(open).forEach(SimulatedDescriptor::close);
    }
    open.clear();
  }
}
