// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;

import module java.base;
import module java.logging;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.process.AskFailedException;
import dev.heddle.process.Commands;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.StartOptions;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildSpec.Restart;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.sync.Backoff;

/// A bank whose accounts and tellers are processes that crash at the worst moments. A supervisor
/// starts them again, and not a cent gets lost.
///
/// An account writes each booking into its journal, a file, before it answers; started again, it
/// reads it. A teller that gets no answer asks again with the same number, and an account that
/// finds the number in its journal does nothing twice. What a teller has still to do stands on a
/// list that it crosses off; started again, it begins with what it may have done in part.
final class Bank {
  private static final String USAGE =
      """
      usage: ./heddle run examples/Bank.java [OPTIONS]
        -a, --accounts N   accounts, each with 1000 at first (10)
        -t, --tellers N    tellers that make transfers at the same time (4)
        -n, --transfers N  transfers of each teller (200)
        -c, --crash N      chance of a crash at each place made for it, in percent (2)
        -s, --seed N       what chance starts from (different each time)
        -h, --help         this text
      exit code: 0 nothing was lost, 1 it was, 2 wrong usage\
      """;

  static final long OPENING = 0; // the number of an account's first booking
  private static final long AT_FIRST = 1000;

  private static final Logger LOG = Logger.getLogger("dev.heddle.process");

  private int accounts = 10;
  private int tellers = 4;
  private int transfers = 200;
  private int crash = 2;
  private int seed = ThreadLocalRandom.current().nextInt(1, 1_000_000);

  static void main(String[] args) throws IOException {
    if (Stream.of(args).anyMatch(Set.of("-h", "--help")::contains)) {
      System.out.println(USAGE);
      return;
    }
    var bank = new Bank();
    try {
      bank.parse(new ArrayDeque<>(List.of(args)));
    } catch (IllegalArgumentException e) {
      System.err.println("Bank: " + e.getMessage() + "\n" + USAGE);
      Heddle.exit(2);
    }
    if (!bank.run()) {
      Heddle.exit(1);
    }
  }

  private void parse(Deque<String> words) {
    for (String word = words.poll(); word != null; word = words.poll()) {
      switch (word) {
        case "-a", "--accounts" -> accounts = number(word, words.poll(), 2, 1_000);
        case "-t", "--tellers" -> tellers = number(word, words.poll(), 1, 1_000);
        case "-n", "--transfers" -> transfers = number(word, words.poll(), 1, 1_000_000);
        case "-c", "--crash" -> crash = number(word, words.poll(), 0, 50);
        case "-s", "--seed" -> seed = number(word, words.poll(), 1, 999_999);
        default -> throw new IllegalArgumentException("no such option: " + word);
      }
    }
  }

  private static int number(String option, String value, int least, int most) {
    int number = value != null && value.matches("[0-9]{1,7}") ? Integer.parseInt(value) : -1;
    if (number < least || number > most) {
      throw new IllegalArgumentException(
          "%s needs a number from %d to %d, not %s".formatted(option, least, most, value));
    }
    return number;
  }

  private boolean run() throws IOException {
    LOG.setFilter(entry -> !(entry.getThrown() instanceof Chaos.Crash)); // those are wanted
    Path journals = Files.createTempDirectory("bank");
    try (var runtime = ProcessRuntime.start()) {
      var chaos = new Chaos(crash, seed);
      var workDone = new CompletableFuture<Void>();
      System.out.printf("%d accounts, %d tellers, seed %d%n", accounts, tellers, seed);
      Pid bank = runtime.spawn(supervisor(journals, chaos, workDone));
      CompletableFuture<Exit> closed = runtime.whenExited(bank);
      Heddle.await(CompletableFuture.anyOf(workDone, closed));
      runtime.cancel(bank, "closing time", Duration.ofSeconds(5));
      Heddle.await(closed); // from now on nobody writes into the journals
      System.out.println(chaos);
      return audit(journals);
    } finally {
      delete(journals);
    }
  }

  /// The accounts first, then the tellers, who need all of them.
  private Supervisor supervisor(Path journals, Chaos chaos, CompletableFuture<Void> workDone)
      throws IOException {
    var atWork = new AtomicInteger(tellers);
    var bank =
        Supervisor.builder()
            .intensity(Integer.MAX_VALUE, Duration.ofSeconds(1)) // as often as it takes
            .backoff(Backoff.constant(Duration.ofMillis(1)))
            .listener(child -> {
              if (child.state() == State.EXITED && atWork.decrementAndGet() == 0) {
                workDone.complete(null);
              }
            });
    String[] names = new String[accounts];
    for (int i = 0; i < accounts; i++) {
      names[i] = "account-" + i;
      Path journal = Files.writeString(journals.resolve(names[i]), OPENING + " " + AT_FIRST + "\n");
      bank.child(
          ChildSpec.of(names[i], () -> new Account(journal, chaos))
              .withOptions(StartOptions.defaults().withName(names[i])));
    }
    for (int i = 0; i < tellers; i++) {
      Deque<Transfer> list = list(names, i);
      bank.child(
          ChildSpec.of("teller-" + i, () -> new Teller(list, chaos))
              .withRestart(Restart.TRANSIENT)
              .withAfter(names));
    }
    return bank.build();
  }

  private Deque<Transfer> list(String[] names, int teller) {
    var chance = new Random(seed + teller);
    var list = new ArrayDeque<Transfer>();
    for (int i = 1; i <= transfers; i++) {
      int from = chance.nextInt(accounts);
      int to = (from + chance.nextInt(1, accounts)) % accounts;
      long number = (long) i * tellers + teller; // nobody else's
      list.add(new Transfer(number, names[from], names[to], chance.nextInt(1, 500)));
    }
    return list;
  }

  /// Whether the journals say that all is there, and that what left one account reached another.
  private boolean audit(Path journals) throws IOException {
    long total = 0;
    var left = new TreeSet<Long>();
    var arrived = new TreeSet<Long>();
    for (int i = 0; i < accounts; i++) {
      for (Booking booking : Account.read(Files.readAllBytes(journals.resolve("account-" + i)))) {
        total += booking.amount();
        if (booking.number() != OPENING) {
          (booking.amount() < 0 ? left : arrived).add(booking.number());
        }
      }
    }
    System.out.printf(
        "%d transfers made, %d refused for want of money%n",
        left.size(), tellers * transfers - left.size());
    System.out.printf("In all accounts: %d at first, %d now%n", accounts * AT_FIRST, total);
    if (total == accounts * AT_FIRST && left.equals(arrived)) {
      System.out.println("Nothing was lost.");
      return true;
    }
    left.removeAll(arrived);
    System.out.println("Something was lost. Transfers that did not arrive: " + left);
    return false;
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}

/// From one account to another; its number is what an account knows it by.
record Transfer(long number, String from, String to, long amount) {}

/// Asks an account to change by an amount; the answer is whether it has. The same number again
/// changes nothing again.
record Booking(long number, long amount) {}

/// An account: what its journal says.
final class Account extends CoroutineProcess {
  private final Path journal;
  private final Chaos chaos;
  private Statement statement = new Statement(new HashSet<>(), 0);

  Account(Path journal, Chaos chaos) {
    this.journal = journal;
    this.chaos = chaos;
  }

  @Override
  protected Object run(Object input) {
    // on a thread for that: a million lines take a second, for which no step may hold its worker
    statement = execute(Commands.call(() -> Statement.of(read(Files.readAllBytes(journal)))));
    while (true) {
      Request request = receive(Request.class);
      request.reply().complete(book((Booking) request.message()));
    }
  }

  private boolean book(Booking booking) {
    if (statement.booked().contains(booking.number())) {
      return true; // asked again: the answer was lost
    }
    if (statement.balance() + booking.amount() < 0) {
      return false;
    }
    chaos.strike(); // nothing has happened yet
    String line = booking.number() + " " + booking.amount() + "\n";
    execute(Commands.writeFile(journal, line.getBytes(UTF_8), APPEND));
    statement = statement.with(booking);
    chaos.strike(); // it is booked, and nobody knows
    return true;
  }

  static List<Booking> read(byte[] journal) {
    return new String(journal, UTF_8)
        .lines()
        .map(line -> line.split(" "))
        .map(words -> new Booking(Long.parseLong(words[0]), Long.parseLong(words[1])))
        .toList();
  }
}

/// What an account has come to: the numbers of its bookings, to which each new one is added, and
/// their sum.
record Statement(Set<Long> booked, long balance) {
  static Statement of(List<Booking> bookings) {
    var statement = new Statement(new HashSet<>(), 0);
    for (Booking booking : bookings) {
      statement = statement.with(booking);
    }
    return statement;
  }

  Statement with(Booking booking) {
    booked.add(booking.number());
    return new Statement(booked, balance + booking.amount());
  }
}

/// Works through a list of transfers, which outlives it.
final class Teller extends CoroutineProcess {
  private final Deque<Transfer> list;
  private final Chaos chaos;

  Teller(Deque<Transfer> list, Chaos chaos) {
    this.list = list;
    this.chaos = chaos;
  }

  @Override
  protected Object run(Object input) {
    for (Transfer next = list.peek(); next != null; next = list.peek()) {
      if (book(next.from(), new Booking(next.number(), -next.amount()))) {
        chaos.strike(); // the money is nowhere
        book(next.to(), new Booking(next.number(), next.amount()));
      }
      list.remove();
    }
    return null;
  }

  /// Asks until there is an answer: an account that has crashed will be there again.
  private boolean book(String account, Booking booking) {
    while (true) {
      Pid pid = context().runtime().whereIs(account);
      try {
        if (pid != null) {
          return execute(Commands.ask(pid, booking, Duration.ofSeconds(5)));
        }
      } catch (AskFailedException | SendFailedException | DeadlineException _) {
        // it had crashed, or did so now
      }
      sleep(Duration.ofMillis(1));
    }
  }
}

/// Lets processes crash.
final class Chaos {
  /// What a process dies of here.
  static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final int percent;
  private final Random chance;
  private final AtomicInteger crashes = new AtomicInteger();

  Chaos(int percent, int seed) {
    this.percent = percent;
    this.chance = new Random(seed);
  }

  void strike() {
    if (chance.nextInt(100) < percent) {
      crashes.incrementAndGet();
      throw new Crash();
    }
  }

  @Override
  public String toString() {
    return crashes + " crashes";
  }
}
