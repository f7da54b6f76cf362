// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.Registration;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.source.EventSource;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.LoopService;
import dev.heddle.loop.SignalDispatcher;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Fires each time one of several signals is received, while it is armed.
///
/// Handlers are installed under locks, of this class and of the JDK. An event is armed and disarmed
/// on the waiting coroutine's stack, where no lock may be taken. So the trampoline installs them,
/// before any other coroutine continues.
final class SignalEvent extends EventSource {
  private final LoopRuntime loop;
  private final List<String> names;

  // the loop writes, threads that deliver a signal read
  private volatile boolean armed;

  // trampoline only
  private final List<Registration> handlers = new ArrayList<>();
  private boolean refused;

  SignalEvent(LoopRuntime loop, List<String> names) {
    super(loop.scheduler());
    this.loop = loop;
    this.names = names;
  }

  @Override
  public boolean isDaemon() {
    return false;
  }

  @Override
  protected void arm() {
    armed = true;
    loop.scheduler().runOnCarrier(this::settle);
  }

  @Override
  protected void disarm() {
    armed = false;
    loop.scheduler().runOnCarrier(this::settle);
  }

  private void settle() {
    if (!armed) {
      release();
    } else if (handlers.isEmpty()) {
      listen();
    }
  }

  private void listen() {
    installed().events.add(this);
    try {
      for (String name : names) {
        Registration handler =
            SignalDispatcher.listen(loop.end(), name, number -> raised(new Signal(name, number)));
        if (handler != null) {
          handlers.add(handler);
        }
      }
      if (handlers.isEmpty()) {
        throw new IllegalArgumentException(
            info()
                + " never arrives: this process was started to ignore it (nohup, or"
                + " in the background of a script), which the JVM respects");
      }
    } catch (IllegalArgumentException e) {
      refused = true;
      release();
      fire(null, e);
    }
  }

  private void release() {
    installed().events.remove(this);
    handlers.forEach(Registration::close);
    handlers.clear();
  }

  /// Waits until the handlers are installed, so that a stream over this event misses nothing.
  ///
  /// @return false when one of the signals cannot be handled: the event has failed with the reason
  boolean awaitHandlers() {
    loop.scheduler().yieldFrom(CoroutineNode.current()); // to the trampoline
    return !refused;
  }

  // on a thread of the JVM; two signals of a kind are reported separately
  private boolean raised(Signal signal) {
    return armed && loop.scheduler().inbox().post(new Raised(signal));
  }

  private final class Raised extends Inbox.Node {
    private final Signal signal;

    Raised(Signal signal) {
      this.signal = signal;
    }

    @Override
    public void onArrival() {
      fire(signal, null);
    }
  }

  @Override
  public String info() {
    return names.stream().map(name -> "SIG" + name).collect(Collectors.joining(" or "));
  }

  private Installed installed() {
    return loop.services().get(Installed.class, Installed::new);
  }

  /// The events with handlers: streams may still be open when the loop ends.
  private static final class Installed implements LoopService {
    private final Set<SignalEvent> events = new HashSet<>();

    @Override
    public void loopEnded() {
      List.copyOf(events).forEach(SignalEvent::release);
    }
  }
}
