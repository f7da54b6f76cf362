// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Cancellation;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.SchedulerParts;
import dev.heddle.scheduler.SchedulerParts.Births;
import dev.heddle.test.host.HostDriver;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.time.VirtualTurns;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A program on a host of a simulation, which can crash and be started again.
///
/// {@snippet class=dev.heddle.test.node.NodeSnippetsTest region=crash}
///
/// **Thread** that of the loop whose turn it is.
public final class Node {
  /*
   * States.
   *   from      event                             to        who
   *   -         join()                            JOINED    the group, or restart()
   *   JOINED    its first turn                    RUNNING   its carrier
   *   JOINED    stop(), crash()                   STOPPING  the holder of the turn; its program
   *                                                         does not begin
   *   RUNNING   stop(), crash()                   STOPPING  the holder of the turn
   *   RUNNING,  its loop has ended                ENDED     its carrier
   *   STOPPING
   *   ENDED     restart(), after a crash          JOINED    the holder of the turn
   *
   * A crash takes the host off the network at once, and cancels the coroutines in the next turn of
   * the loop. Limit: their handlers and finally blocks still run, and what these write to files is
   * there after the restart. A loop cannot drop its coroutines yet.
   */
  // the watchdog goes by the machine's time, and a stack that it takes holds up a resume
  private static final HeddleOptions OPTIONS =
      HeddleOptions.defaults().withHoldLimit(Duration.ZERO).withStallLimit(Duration.ZERO);

  private final NodeGroup group;
  private final SimulatedHost host;
  private final Action main;
  private final Role role;

  private State state = State.ENDED;
  private boolean crashed;
  private boolean restartDue;
  private int incarnations;
  private @Nullable HostDriver driver;
  private VirtualTurns.@Nullable Seat seat;
  private @Nullable LoopRuntime loop;
  private volatile @Nullable Thread carrier;

  /// Whether the group waits for it.
  enum Role {
    /// The group waits for its end.
    NODE,
    /// It is stopped with the last node.
    SERVICE
  }

  private enum State {
    JOINED,
    RUNNING,
    STOPPING,
    ENDED
  }

  Node(NodeGroup group, SimulatedHost host, Action main, Role role) {
    this.group = group;
    this.host = host;
    this.main = main;
    this.role = role;
  }

  /// Its host.
  public SimulatedHost host() {
    return host;
  }

  /// Whether its program runs, or is about to begin.
  public boolean isRunning() {
    return state != State.ENDED;
  }

  boolean isService() {
    return role == Role.SERVICE;
  }

  // ---- crashes ----

  /// Cuts the power of the host: its sockets are gone, no peer is told, and files keep what was
  /// durable, and of the rest what chance leaves. Its coroutines are cancelled. Unlike after a real
  /// crash, their `finally` blocks run: what these write is in the files after a restart. A program
  /// that does it to itself runs on until it waits.
  ///
  /// @throws IllegalStateException when it does not run
  public void crash() {
    if (!isRunning() || driver == null) {
      throw new IllegalStateException(host.name() + " does not run; restart() starts it again");
    }
    crashed = true;
    driver.crash();
    requestEnd("the host has crashed", Duration.ZERO);
  }

  /// Starts its program again, when it has ended.
  ///
  /// @throws IllegalStateException when it runs, and has not crashed
  public void restart() {
    if (state == State.ENDED) {
      group.restarted(this);
    } else if (crashed) {
      restartDue = true;
    } else {
      throw new IllegalStateException(host.name() + " runs; crash() ends it");
    }
  }

  /// Asks a service to stop; what else still runs is cancelled.
  void stop() {
    requestEnd("all other nodes have ended", OPTIONS.shutdownDeadline());
  }

  private void requestEnd(String why, Duration within) {
    if (state == State.ENDED) {
      return;
    }
    state = State.STOPPING;
    if (loop != null) {
      loop.shutdown().request(why, null, within);
    }
  }

  // ---- its life ----

  void join() {
    state = State.JOINED;
    crashed = false;
    restartDue = false;
    incarnations++;
    seat = group.turns().join(host.name());
    driver = host.driver(seat, group.files(host));
  }

  void start() {
    Thread own = Thread.ofPlatform().name(host.name() + "-" + incarnations).unstarted(this::carry);
    carrier = own;
    group.started(own);
    own.start();
  }

  void interrupt() {
    if (carrier != null) {
      carrier.interrupt();
    }
  }

  private void carry() {
    VirtualTurns.Seat own = Objects.requireNonNull(seat, "it has joined");
    HostDriver by = Objects.requireNonNull(driver, "it has joined");
    own.awaitFirst();
    try {
      if (state == State.JOINED) {
        state = State.RUNNING;
        runLoop(own, by);
      }
    } catch (Throwable e) {
      failed(e);
    } finally {
      ended();
      own.leave();
    }
  }

  private void runLoop(VirtualTurns.Seat own, HostDriver by) {
    SplittableRandom order = new SplittableRandom(group.seed() ^ host.name().hashCode());
    SchedulerParts parts =
        new SchedulerParts(by, group.turns()::nanoTime, order::nextInt, null, Births.ON_LOOP);
    Body<Boolean> body =
        () -> {
          main.run();
          return true;
        };
    var _ =
        LoopRuntime.run(
            OPTIONS.withName(host.name()),
            parts,
            body,
            started -> {
              loop = started;
              started.redirectReports(this::reported);
              own.watch(
                  () -> started.scheduler().foreignCount() > 0,
                  role == Role.SERVICE ? null : started::onDeadlock);
            });
  }

  private void failed(Throwable why) {
    boolean wasAsked = state == State.STOPPING && (crashed || why instanceof Cancellation);
    if (!wasAsked) {
      group.failed(why);
    }
  }

  // a crash leaves coroutines that have not ended, and nobody whom that surprises
  private void reported(String what, @Nullable Throwable why) {
    if (!crashed) {
      group.failed(new IllegalStateException(host.name() + ": " + what, why));
    }
  }

  private void ended() {
    state = State.ENDED;
    loop = null;
    if (role == Role.NODE) {
      group.finished();
    }
    if (restartDue) {
      group.restarted(this);
    }
  }
}
