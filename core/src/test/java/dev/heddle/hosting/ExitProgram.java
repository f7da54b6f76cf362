// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Action;
import dev.heddle.Cancellation;
import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.event.Promise;
import dev.heddle.loop.SignalClock;
import dev.heddle.os.Raise;
import dev.heddle.scheduler.context.JdkSignals;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Programs whose JVM is told to exit, from inside and from outside; [ProcessExitTest] says what is
/// to come of it.
public final class ExitProgram {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration A_SECOND = Duration.ofSeconds(1);

  /// Nobody may wait for the deadline.
  private static final HeddleOptions PATIENT =
      HeddleOptions.defaults().withShutdownDeadline(HOUR).withGracePeriod(HOUR);

  private static final HeddleOptions SHORT =
      HeddleOptions.defaults()
          .withShutdownDeadline(Duration.ofMillis(20))
          .withGracePeriod(Duration.ofMillis(20))
          .withHoldLimit(Duration.ZERO);

  private static final Logger LOGGER = Logger.getLogger("dev.heddle"); // held: else forgotten

  private ExitProgram() {}

  /// Takes a line, and writes nothing: it is removed first, by the JVM's exit.
  private static final class OutlivedByItsLine extends Handler {
    @Override
    public void publish(LogRecord record) {
      while (LOGGER.getHandlers().length > 0) {
        Thread.yield();
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /// What happens in such a JVM.
  public enum Scenario {
    /// A signal to a loop that handles it.
    SIGNAL {
      @Override
      void run() {
        exitAsAsked(() -> runWithWorker(PATIENT.withSignalHandling(), ExitProgram::signalSelf));
      }
    },
    /// The second one comes when a second has passed.
    SIGNAL_TWICE {
      @Override
      void run() {
        stopTwice(() -> {
          SignalClock.advance(A_SECOND);
          signalSelf();
          Heddle.delay(HOUR);
        });
      }
    },
    /// As a wrapper passes them on, to its child and to the process group.
    SIGNAL_TWICE_WITHIN_A_SECOND {
      @Override
      void run() {
        stopTwice(() -> {
          SignalClock.advance(A_SECOND.minusNanos(1));
          SignalClock.awaitHandled(() -> Raise.signal(System.getProperty("second")));
          Heddle.delay(Duration.ofMillis(1));
        });
      }
    },
    /// The oldest loop ends first; then there is a signal for the others, and one for nobody.
    SIGNAL_AMONG_LOOPS {
      @Override
      void run() throws IOException {
        SignalClock.stop();
        JdkSignals.handle("TERM", _ -> exitAfter("the program's own handler"));
        Loop<?> oldest = startAndLetWait("oldest");
        Loop<?> middle = startAndLetWait("middle");
        Loop<?> youngest = startAndLetWait("youngest");
        oldest.shutdown(HOUR);
        sayHowItEnds(oldest);
        signalSelf();
        sayHowItEnds(middle);
        sayHowItEnds(youngest);
        SignalClock.awaitHandled(() -> Raise.signal("TERM"));
        say("the same request");
        SignalClock.advance(A_SECOND);
        signalSelf();
        while (true) {
          LockSupport.park();
        }
      }
    },
    /// A signal that nobody handles is the JVM's, which then exits.
    SIGNAL_UNHANDLED {
      @Override
      void run() {
        runWithWorker(PATIENT, ExitProgram::signalSelf);
      }
    },
    EXIT_IN_COROUTINE {
      @Override
      void run() {
        runWithWorker(PATIENT, () -> System.exit(3));
      }
    },
    /// Somebody waits for the one that exits, and another one exits, too.
    EXIT_IN_AWAITED_COROUTINES {
      @Override
      void run() {
        runWithWorker(
            PATIENT,
            () ->
                Heddle.shield(() ->
                    Heddle.scope(s -> {
                      s.launch("first", () -> System.exit(3));
                      s.launch("second", () -> System.exit(3));
                      return null;
                    })));
      }
    },
    EXIT_IN_OFFLOADED_CODE {
      @Override
      void run() {
        runWithWorker(
            PATIENT,
            () ->
                Heddle.offload(() -> {
                  System.exit(3);
                  return null;
                }));
      }
    },
    EXIT_IN_CLOSER {
      @Override
      void run() {
        Heddle.run(
            PATIENT,
            () -> {
              Heddle.onShutdown(() -> say("closed"));
              Heddle.onShutdown(() -> System.exit(3));
            });
      }
    },
    EXIT_IN_FAILURE_HANDLER {
      @Override
      void run() {
        runWithWorker(
            PATIENT,
            () ->
                Heddle.scope(s -> {
                  s.handleFailures((_, _, _) -> System.exit(3));
                  s.launch(
                      "failing",
                      () -> {
                        throw new IllegalStateException("to be handled");
                      });
                  return null;
                }));
      }
    },
    /// The lines are there before the exit, and written when the loggers have been shut down.
    EXIT_BEHIND_FAILURES {
      @Override
      void run() {
        LOGGER.addHandler(new OutlivedByItsLine());
        Heddle.run(
            PATIENT,
            () -> {
              Heddle.supervise(s -> {
                s.launch("first", () -> fail("the first one's"));
                s.launch("second", () -> fail("the second one's"));
                return null;
              });
              System.exit(3);
            });
      }
    },
    EXIT_WITH_ONE_WHO_HANGS {
      @Override
      void run() {
        Heddle.run(
            SHORT,
            () -> {
              Promise<String> never = Heddle.promise("never");
              Heddle.launch("stubborn", () -> Heddle.shield(() -> never.future().await()));
              Heddle.yieldNow();
              System.exit(3);
            });
      }
    },
    EXIT_WITH_ONE_WHO_HOLDS_THE_LOOP {
      @Override
      void run() {
        Heddle.run(
            SHORT,
            () -> {
              Thread.ofPlatform().start(() -> System.exit(3));
              while (true) {
                Thread.onSpinWait();
              }
            });
      }
    };

    abstract void run() throws IOException;
  }

  /// Run in a JVM of its own.
  public static void main(String[] args) throws IOException {
    try {
      Scenario.valueOf(System.getProperty("scenario")).run();
    } catch (ExitException _) {
      // the JVM exits already, with its own code
    }
  }

  // what the second signal does to a clean-up that the first one has begun
  private static void stopTwice(Action second) {
    SignalClock.stop();
    exitAsAsked(() ->
        Heddle.run(
            PATIENT.withSignalHandling(),
            () -> {
              try {
                signalSelf();
                Heddle.delay(HOUR);
              } finally {
                say("cleaning up");
                second.run();
                say("cleaned up");
              }
            }));
  }

  private static void runWithWorker(HeddleOptions options, Action exit) {
    Heddle.run(
        options,
        () -> {
          Heddle.onShutdown(() -> {
            Heddle.delay(Duration.ofMillis(1));
            say("closed");
          });
          Heddle.launch("worker", ExitProgram::waitAndCleanUp);
          Heddle.yieldNow();
          exit.run();
          Heddle.delay(HOUR);
        });
  }

  private static void waitAndCleanUp() {
    try {
      Heddle.delay(HOUR);
    } finally {
      Heddle.delay(Duration.ofMillis(1));
      say("cleaned up");
    }
  }

  private static Loop<?> startAndLetWait(String name) {
    CompletableFuture<String> waiting = new CompletableFuture<>();
    Loop<?> loop =
        Loop.start(
            PATIENT.withSignalHandling().withName(name),
            () -> {
              waiting.complete("begun");
              Heddle.delay(HOUR);
              return "never";
            });
    waiting.join();
    return loop;
  }

  private static void fail(String failure) {
    throw new IllegalStateException(failure);
  }

  // as the launcher does
  private static void exitAsAsked(Runnable program) {
    try {
      program.run();
    } catch (ExitException e) {
      say("exit " + e.code());
      System.exit(e.code());
    }
  }

  private static void exitAfter(String what) {
    say(what);
    Runtime.getRuntime().halt(5);
  }

  private static void sayHowItEnds(Loop<?> loop) {
    try {
      loop.join();
    } catch (ExitException e) {
      say("exit " + e.code());
    } catch (Cancellation e) {
      say("cancelled");
    }
  }

  private static void signalSelf() throws IOException {
    String signal = System.getProperty("signal", "TERM");
    long self = ProcessHandle.current().pid();
    // the shell's own kill: a system may come without the program
    new ProcessBuilder("sh", "-c", "kill -" + signal + " " + self).inheritIO().start();
  }

  private static void say(String what) {
    System.out.println(what);
    System.out.flush();
  }
}
