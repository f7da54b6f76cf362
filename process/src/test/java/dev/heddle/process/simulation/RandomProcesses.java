// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import dev.heddle.DeadlineException;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.Commands;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// A program of processes that a seed makes up, and the model of what each may see.
///
/// Processes with and without a body send to each other, ask, start others, wait with limits, sleep
/// and end. Each message says what its sender knew. The model is:
///
/// - what one process sends to another is received in order, each message once, or left in the
///   mailbox of one that has ended;
/// - nothing is received before what its sender knew to have been sent there;
/// - the end of a process is reported behind all that it has sent;
/// - a limit ends a wait at its time, and not later than two ticks of the timers after it;
/// - a request is replied to, or the asker learns that it will not be.
final class RandomProcesses {
  private static final int MOST = 12; // processes
  private static final Duration DAY = Duration.ofDays(1);
  private static final long TICK_NANOS = 1 << 20; // of the timers

  private final ProcessSimulation simulation;
  private final ProcessRuntime runtime;
  private final Random random;
  private final List<Life> lives = new ArrayList<>();
  private int budget = 60; // actions of all
  private int sent;
  private int received;
  private int refused;

  private RandomProcesses(ProcessSimulation simulation, ProcessRuntime runtime, long seed) {
    this.simulation = simulation;
    this.runtime = runtime;
    this.random = new Random(seed);
  }

  /// One message: who has sent it, as the how manieth to this receiver, and what the sender knew.
  private static final class Message {
    final int from;
    final int number;
    final int[][] known; // [a][b]: how many from a to b its sender knew to have been sent
    final long until; // when the sender no longer waits for a reply

    Message(int from, int number, int[][] known, long until) {
      this.from = from;
      this.number = number;
      this.known = known;
      this.until = until;
    }
  }

  static void run(ProcessSimulation simulation, long seed) throws Exception {
    int workers = 1 + (int) (seed % 3);
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(workers).start()) {
      RandomProcesses program = new RandomProcesses(simulation, runtime, seed);
      for (int i = 0; i < 4; i++) {
        program.spawn(null);
      }
      program.awaitEnds();
      program.verify();
    }
  }

  private void awaitEnds() throws Exception {
    for (int i = 0; i < lives.size(); i++) { // more are started meanwhile
      Exit exit = runtime.awaitExit(lives.get(i).pid(), DAY);
      check(!exit.isFailure(), () -> "a process has failed: " + exit);
    }
  }

  private void verify() {
    long left = runtime.undelivered();
    check(
        sent >= received && sent - received <= left + refused,
        () -> "sent %d, received %d, left %d, refused %d".formatted(sent, received, left, refused));
  }

  private interface Text {
    String get();
  }

  private void check(boolean holds, Text otherwise) {
    if (!holds) {
      simulation.failed(otherwise.get());
    }
  }

  private void spawn(@Nullable Life parent) {
    if (lives.size() == MOST) {
      return;
    }
    Life life = new Life(lives.size());
    lives.add(life);
    if (parent != null) {
      life.learn(parent.known);
    }
    int most = 1 + random.nextInt(8);
    StartOptions options =
        random.nextInt(3) == 0
            ? StartOptions.defaults().withMailbox(most, MailboxPolicy.SUSPEND)
            : StartOptions.defaults();
    Process process = random.nextBoolean() ? CoroutineProcess.of(life::run) : life.new Steps();
    if (parent == null) {
      life.pid = runtime.spawn(process, options);
    } else {
      life.pid = parent.context().spawn(process, options.monitored());
      parent.children.add(life);
    }
  }

  /// One process, and what it knows.
  private final class Life {
    final int index;
    final int[][] known = new int[MOST][MOST];
    final int[] got = new int[MOST];
    final List<Life> children = new ArrayList<>(2);
    @Nullable Pid pid;
    @Nullable ProcessContext context;
    private int turns = 12; // actions and messages of its own

    Life(int index) {
      this.index = index;
    }

    Pid pid() {
      return Objects.requireNonNull(pid);
    }

    ProcessContext context() {
      return Objects.requireNonNull(context);
    }

    void learn(int[][] from) {
      for (int a = 0; a < MOST; a++) {
        for (int b = 0; b < MOST; b++) {
          known[a][b] = Math.max(known[a][b], from[a][b]);
        }
      }
    }

    boolean goesOn() {
      return turns-- > 0 && budget-- > 0;
    }

    // ---- sending ----

    private Message message(Life to, long until) {
      int[][] before = Arrays.stream(known).map(int[]::clone).toArray(int[][]::new);
      return new Message(index, ++known[index][to.index], before, until);
    }

    private void send(boolean mayWait) {
      Life to = lives.get(random.nextInt(lives.size()));
      if (to == this || to.pid == null) {
        return;
      }
      Message message = message(to, 0);
      sent++;
      SendResult result;
      if (mayWait && to.index > index) { // else two may wait for each other's space
        try {
          context().send(to.pid(), message);
          result = SendResult.ACCEPTED;
        } catch (SendFailedException e) {
          result = e.result();
        }
      } else {
        result = context().offer(to.pid(), message);
      }
      if (result != SendResult.ACCEPTED) {
        known[index][to.index]--;
        refused++;
      }
    }

    // ---- receiving ----

    private void take(@Nullable Object event) {
      switch (event) {
        case Message message -> take(message);
        case Request request -> {
          Message message = (Message) request.message();
          take(message);
          check(
              request.reply().complete(message.number) || simulation.nanoTime() >= message.until,
              () -> "a reply was refused");
        }
        case ProcessSignal.Down down -> ended(down);
        case null, default -> check(false, () -> this + " has received " + event);
      }
    }

    private void take(Message message) {
      received++;
      simulation.note(index + " got " + message.from + "/" + message.number);
      check(
          message.number == got[message.from] + 1,
          () ->
              this
                  + " got "
                  + message.number
                  + " after "
                  + got[message.from]
                  + " of "
                  + message.from);
      got[message.from] = message.number;
      for (int a = 0; a < MOST; a++) {
        int sender = a;
        check(
            a == message.from || got[a] >= message.known[a][index],
            () -> this + " got a message of " + message.from + " before one of " + sender);
      }
      learn(message.known);
      known[message.from][index] = Math.max(known[message.from][index], message.number);
    }

    private void ended(ProcessSignal.Down down) {
      for (Life child : children) {
        if (child.pid().equals(down.exit().pid())) {
          check(
              got[child.index] == child.known[child.index][index],
              () -> this + " learnt of the end of " + child + " before its last message");
        }
      }
    }

    // ---- with a body ----

    @Nullable Object run(CoroutineProcess self) throws Exception {
      context = self.context();
      while (goesOn()) {
        switch (random.nextInt(8)) {
          case 0 -> spawn(this);
          case 1, 2, 3 -> send(true);
          case 4 -> ask();
          case 5 -> self.sleep(Duration.ofMillis(random.nextInt(5)));
          default -> receive(self, Duration.ofMillis(random.nextInt(20)));
        }
      }
      return null;
    }

    private void receive(CoroutineProcess self, Duration limit) {
      long begin = simulation.nanoTime();
      try {
        take(self.receive(_ -> true, limit));
      } catch (DeadlineException _) {
        long late = simulation.nanoTime() - begin - limit.toNanos();
        check(late >= 0 && late <= 2 * TICK_NANOS, () -> "a limit ended by " + late + " ns off");
      }
    }

    private void ask() throws InterruptedException {
      Life to = lives.get(random.nextInt(lives.size()));
      if (to == this || to.pid == null) {
        return;
      }
      sent++;
      long begin = simulation.nanoTime();
      Duration limit = Duration.ofMillis(50);
      Message message = message(to, begin + limit.toNanos());
      try {
        Object reply = runtime.ask(to.pid(), message, limit);
        check(reply.equals(message.number), () -> "another reply: " + reply);
      } catch (DeadlineException _) {
        long late = simulation.nanoTime() - begin - limit.toNanos();
        check(late >= 0 && late <= 2 * TICK_NANOS, () -> "an ask ended by " + late + " ns off");
      } catch (SendFailedException _) {
        known[index][to.index]--;
        refused++;
      } catch (AskFailedException _) {
        simulation.note("asked one that has ended");
      }
    }

    @Override
    public String toString() {
      return "#" + index;
    }

    /// The same, without a body: it acts when something has come, and now and then by itself.
    private final class Steps implements Process {
      private long tag;

      @Override
      public void init(ProcessContext self, String method, @Nullable Object input) {
        context = self;
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        for (ProcessEvent event : events) {
          if (event.isMessage()) {
            take(event.data());
          }
        }
        if (!goesOn()) {
          out.done();
          return;
        }
        for (int i = random.nextInt(4); i > 0; i--) {
          send(false);
        }
        if (random.nextInt(6) == 0) {
          spawn(Life.this);
        }
        if (random.nextBoolean()) {
          out.continueNow();
        } else {
          out.execute(++tag, Commands.sleep(Duration.ofMillis(random.nextInt(10))));
          out.idle();
        }
      }
    }
  }
}
