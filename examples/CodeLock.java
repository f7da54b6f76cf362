// SPDX-License-Identifier: Apache-2.0

import module java.base;
import module java.logging;

import dev.heddle.Heddle;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Ref;
import dev.heddle.process.Reply;
import dev.heddle.process.StartOptions;
import dev.heddle.process.behavior.GenServer;
import dev.heddle.process.behavior.StateMachine;
import dev.heddle.process.behavior.Transition;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;

/// A door with a code lock: a state machine with timeouts, a server that keeps a journal of its
/// events, and a supervisor that starts the lock again when a button breaks it.
final class CodeLock {
  private static final String USAGE =
      """
      usage: ./heddle run examples/CodeLock.java [OPTIONS] BUTTONS
        -c, --code N    what opens the lock (2580)
        -o, --open MS   how long the door stays open, in milliseconds (200)
        -h, --help      this text
      BUTTONS are digits, as pressed; each other character breaks the lock, which is repaired.
      exit code: 0 the door was open, 1 it was not, 2 wrong usage\
      """;

  private static final Duration LIMIT = Duration.ofMinutes(1);

  private String code = "2580";
  private int open = 200;
  private String buttons = "";

  static void main(String[] args) throws InterruptedException {
    if (Stream.of(args).anyMatch(Set.of("-h", "--help")::contains)) {
      System.out.println(USAGE);
      return;
    }
    var program = new CodeLock();
    try {
      program.parse(new ArrayDeque<>(List.of(args)));
    } catch (IllegalArgumentException e) {
      System.err.println("CodeLock: " + e.getMessage() + "\n" + USAGE);
      Heddle.exit(2);
    }
    if (!program.run()) {
      Heddle.exit(1);
    }
  }

  private void parse(Deque<String> words) {
    for (String word = words.poll(); word != null; word = words.poll()) {
      switch (word) {
        case "-c", "--code" -> code = digits(word, words.poll(), 8);
        case "-o", "--open" -> open = Integer.parseInt(digits(word, words.poll(), 6));
        default -> buttons += word;
      }
    }
    if (buttons.isEmpty()) {
      throw new IllegalArgumentException("no buttons");
    }
  }

  private static String digits(String option, String value, int most) {
    if (value == null || !value.matches("[0-9]{1," + most + "}")) {
      throw new IllegalArgumentException(
          "%s needs 1 to %d digits, not %s".formatted(option, most, value));
    }
    return value;
  }

  private boolean run() throws InterruptedException {
    Logger.getLogger("dev.heddle.process")
        .setFilter(entry -> !(entry.getThrown() instanceof Lock.BrokenException)); // wanted
    try (var runtime = ProcessRuntime.start()) {
      Duration opens = Duration.ofMillis(open);
      runtime.spawn(
          Supervisor.builder()
              .intensity(1_000, Duration.ofMinutes(1))
              .backoff(Backoff.constant(Duration.ofMillis(1)))
              .child(
                  ChildSpec.of("journal", Journal::new)
                      .withOptions(StartOptions.defaults().withName("journal")))
              .child(
                  ChildSpec.of("lock", () -> new Lock(code, opens))
                      .withOptions(StartOptions.defaults().withName("lock"))
                      .withAfter("journal"))
              .build());
      Ref<Journal.Message> journal = runtime.ref("journal", Journal.Message.class);
      Ref<Lock.Input> lock = runtime.ref("lock", Lock.Input.class);
      lock.awaitRegistered(LIMIT);
      runtime.events().subscribe(Journal.Message.Event.class, journal);
      boolean wasOpen = press(lock);
      System.out.println(wasOpen ? "The door is open." : "The door stays locked.");
      lock.ask(Lock.AwaitLocked::new, LIMIT); // answered when the door has closed
      System.out.println("Journal: " + journal.ask(Journal.Message.Read::new, LIMIT));
      return wasOpen;
    }
  }

  private boolean press(Ref<Lock.Input> lock) throws InterruptedException {
    boolean isOpen = false;
    for (int i = 0; i < buttons.length(); i++) {
      char button = buttons.charAt(i);
      try {
        Lock.State state = lock.ask(reply -> new Lock.Button(button, reply), LIMIT);
        isOpen = state == Lock.State.OPEN;
      } catch (AskFailedException _) {
        System.out.println("Button '" + button + "' has broken the lock.");
        lock.awaitRegistered(LIMIT);
      }
    }
    return isOpen;
  }
}

/// The lock: opens with its code, and locks again after a time.
final class Lock extends StateMachine<Lock.State, Lock.Input> {
  enum State {
    LOCKED,
    OPEN
  }

  sealed interface Input {}

  /// Somebody presses a button; the answer is the state that follows.
  record Button(char digit, Reply<State> reply) implements Input {}

  /// Answered when the door is locked.
  record AwaitLocked(Reply<State> reply) implements Input {}

  /// The door has been open long enough.
  record Close() implements Input {}

  /// Nobody has pressed a button for a while.
  record Forget() implements Input {}

  static final class BrokenException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String code;
  private final Duration opens;
  private String entered = ""; // of the code so far

  Lock(String code, Duration opens) {
    super(Input.class, State.LOCKED);
    this.code = code;
    this.opens = opens;
  }

  @Override
  protected Transition<State, Input> on(State state, Input message) {
    return switch (state) {
      case LOCKED -> locked(message);
      case OPEN -> open(message);
    };
  }

  private Transition<State, Input> locked(Input message) {
    return switch (message) {
      case Button(char digit, Reply<State> reply) -> {
        entered = next(entered + number(digit));
        boolean isCode = entered.equals(code);
        reply.complete(isCode ? State.OPEN : State.LOCKED);
        Transition<State, Input> next = isCode ? Transition.to(State.OPEN) : Transition.stay();
        yield isCode ? next : next.withEventTimeout(PATIENCE, new Forget());
      }
      case AwaitLocked(Reply<State> reply) -> {
        reply.complete(State.LOCKED);
        yield Transition.stay();
      }
      case Forget _ -> {
        entered = "";
        yield Transition.stay();
      }
      case Close _ -> Transition.stay();
    };
  }

  private Transition<State, Input> open(Input message) {
    return switch (message) {
      case Button(char digit, Reply<State> reply) -> {
        var _ = number(digit); // nothing to enter, but it may break
        reply.complete(State.OPEN);
        yield Transition.stay();
      }
      case AwaitLocked _ -> Transition.postpone();
      case Close _ -> Transition.to(State.LOCKED);
      case Forget _ -> Transition.stay();
    };
  }

  @Override
  protected void onEnter(State from, State now) {
    entered = "";
    if (now == State.OPEN) {
      setStateTimeout(opens, new Close());
    }
    if (from != null) {
      context().runtime().events().publish(new Journal.Message.Event(now.name()));
    }
  }

  /// The last buttons count, so that a wrong beginning needs no pause.
  private String next(String all) {
    return all.substring(Math.max(0, all.length() - code.length()));
  }

  private static int number(char digit) {
    int number = Character.digit(digit, 10);
    if (number < 0) {
      throw new BrokenException(); // its supervisor makes a new one
    }
    return number;
  }
}

/// Writes down what the lock publishes.
final class Journal extends GenServer<Journal.Message> {
  sealed interface Message {
    /// The lock has changed.
    record Event(String state) implements Message {}

    /// Asks for all events.
    record Read(Reply<List<String>> reply) implements Message {}
  }

  private final List<String> states = new ArrayList<>();

  Journal() {
    super(Message.class);
  }

  @Override
  protected void receive(Message message) {
    switch (message) {
      case Message.Event(String state) -> states.add(state);
      case Message.Read(Reply<List<String>> reply) -> reply.complete(List.copyOf(states));
    }
  }
}
