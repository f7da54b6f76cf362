// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.Cancellation;
import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.event.EventStream;
import dev.heddle.loop.SignalClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// What can only be seen in a process of its own: signals that end it.
public final class SignalProgram {
  private SignalProgram() {}

  /// Runs one of the stories below.
  public static void main(String[] args) {
    switch (System.getProperty("story")) {
      case "repeats" -> Heddle.run(SignalProgram::repeats);
      case "left" -> Heddle.run(SignalProgram::left);
      case "given back" -> givenBack();
      case "stopped" ->
          Heddle.run(
              HeddleOptions.defaults().withSignalHandling(), SignalProgram::awaitedThenStopped);
      case "another has stopped" ->
          Heddle.run(
              HeddleOptions.defaults().withSignalHandling(), SignalProgram::anotherHasStopped);
      case "partly ignored" -> Heddle.run(SignalProgram::partlyIgnored);
      case "ignored", "kept" -> Heddle.run(() -> refused(System.getProperty("signal")));
      case String other -> throw new IllegalArgumentException(other);
    }
  }

  // each of several, in the order of their raising
  private static void repeats() {
    try (EventStream<Signal> signals = Signals.stream(8, "USR1", "ALRM")) {
      Raise.signal("USR1");
      say(signals.next());
      Raise.signal("ALRM");
      say(signals.next());
      Raise.signal("USR1");
      say(signals.next());
    }
  }

  // who has left is as if he had never come: the next request ends the process
  private static void left() {
    SignalClock.stop();
    Heddle.launch("raise", () -> Raise.signal("TERM"));
    say(Heddle.await(Signals.of("SIGTERM")));
    Heddle.yieldNow(); // the trampoline takes back the handlers that nobody needs
    Heddle.offload(() -> {
      SignalClock.awaitHandled(() -> Raise.signal("TERM"));
      return null;
    });
    System.out.println("goes on");
    SignalClock.advance(Duration.ofSeconds(1));
    Raise.signal("TERM");
    Heddle.delay(Duration.ofHours(1));
  }

  // also when no further signal comes
  private static void givenBack() {
    SignalClock.watch();
    // the JDK shows its own handler as another object each time
    var _ = dev.heddle.scheduler.context.JdkSignals.handle("TERM", _ -> {});
    Object before = Raise.handlerOf("TERM");
    Heddle.run(() -> {
      Heddle.launch("raise", () -> Raise.signal("TERM"));
      say(Heddle.await(Signals.of("SIGTERM")));
    });
    SignalClock.awaitTimer();
    System.out.println(Raise.handlerOf("TERM") == before ? "given back" : "still ours");
  }

  private static void awaitedThenStopped() {
    SignalClock.stop();
    Heddle.launch("raise", () -> Raise.signal("TERM"));
    say(Heddle.await(Signals.of("TERM")));
    Heddle.yieldNow();
    SignalClock.awaitHandled(() -> Raise.signal("TERM"));
    Heddle.yieldNow();
    System.out.println("goes on");
    SignalClock.advance(Duration.ofSeconds(1));
    Raise.signal("TERM");
    try {
      Heddle.delay(Duration.ofHours(1));
    } catch (Cancellation c) {
      System.out.println(c.getMessage());
      throw c;
    }
  }

  // the loop that the first request has stopped is over when the second one comes
  private static void anotherHasStopped() {
    SignalClock.stop();
    CompletableFuture<Boolean> runs = new CompletableFuture<>();
    Loop<?> other =
        Loop.start(
            HeddleOptions.defaults().withSignalHandling(),
            () -> {
              runs.complete(true);
              Heddle.delay(Duration.ofHours(1));
              return "never";
            });
    Heddle.await(runs); // before that it may not listen to signals yet
    Heddle.launch("raise", () -> Raise.signal("TERM"));
    say(Heddle.await(Signals.of("TERM")));
    try {
      Heddle.offload(other::join);
    } catch (ExitException e) {
      System.out.println("the other one exits: " + e.code());
    }
    SignalClock.advance(Duration.ofSeconds(1));
    Raise.signal("TERM");
    try {
      Heddle.delay(Duration.ofHours(1));
    } catch (Cancellation c) {
      System.out.println(c.getMessage());
      throw c;
    }
  }

  private static void partlyIgnored() {
    Heddle.launch("raise", () -> Raise.signal("USR1"));
    say(Heddle.await(Signals.of("HUP", "USR1")));
  }

  private static void refused(String signal) {
    try {
      Heddle.await(Signals.of(signal));
    } catch (IllegalArgumentException e) {
      System.out.println("refused: " + e.getMessage());
    }
  }

  private static void say(Signal signal) {
    System.out.println("got SIG" + signal.name() + " " + signal.number());
  }
}
