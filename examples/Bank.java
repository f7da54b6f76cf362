// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import module java.base;
import module java.logging;

import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.ClusterOptions;
import dev.heddle.cluster.EntityFailedException;
import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.cluster.NotDeliveredException;
import dev.heddle.cluster.ShardOptions;
import dev.heddle.cluster.Shards;
import dev.heddle.os.Child;
import dev.heddle.os.Command;
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
import java.lang.ProcessBuilder.Redirect;
import org.jspecify.annotations.Nullable;

/// A bank whose accounts and tellers are processes that crash at the worst moments. A supervisor
/// starts them again, and not a cent gets lost.
///
/// An account writes each booking into its journal, a file, before it answers; started again, it
/// reads it. A teller that gets no answer asks again with the same number, and an account that
/// finds the number in its journal does nothing twice. What a teller has still to do stands on a
/// list that it crosses off; started again, it begins with what it may have done in part.
///
/// With `--nodes 3` the accounts are spread over three more JVMs, which are killed again and again;
/// the tellers stay as they are. [Branches] tells why nothing gets lost then.
final class Bank {
  private static final String USAGE =
      """
      usage: ./heddle run examples/Bank.java [OPTIONS]
        -a, --accounts N   accounts, each with 1000 at first (10)
        -t, --tellers N    tellers that make transfers at the same time (4)
        -n, --transfers N  transfers of each teller (200)
        -c, --crash N      chance of a crash at each place made for it, in percent (2)
        -s, --seed N       what chance starts from (different each time)
            --nodes N      the accounts are at N nodes, each a JVM of its own: 3 to 5
            --kills N      how often one of the nodes is killed (3)
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
  private int nodes; // 0: all in one runtime
  private int kills = 3;
  private @Nullable String branch; // the node that this JVM is, when the bank has started it

  private final AtomicInteger done = new AtomicInteger(); // transfers
  private final CompletableFuture<Void> workDone = new CompletableFuture<>();

  static void main(String[] args) throws Exception {
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
    if (bank.branch != null) {
      Branches.open(bank.branch, bank.nodes);
    } else if (!bank.run()) {
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
        case "--nodes" -> nodes = number(word, words.poll(), 3, 5);
        case "--kills" -> kills = number(word, words.poll(), 0, 1_000);
        case "--" -> {} // between the options of `run` and those of the program
        case Branches.OPTION -> branch = words.remove();
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

  private boolean run() throws IOException, InterruptedException {
    LOG.setFilter(entry -> !(entry.getThrown() instanceof Chaos.Crash)); // those are wanted
    Path journals = Files.createTempDirectory("bank");
    try {
      String[] names = new String[accounts];
      for (int i = 0; i < accounts; i++) {
        names[i] = "account-" + i;
        Files.writeString(journals.resolve(names[i]), OPENING + " " + AT_FIRST + "\n");
      }
      var chaos = new Chaos(crash, seed);
      System.out.printf("%d accounts, %d tellers, seed %d%n", accounts, tellers, seed);
      if (nodes == 0) {
        workHere(names, journals, chaos);
      } else {
        workAtNodes(names, journals, chaos);
      }
      System.out.println(chaos.crashes + " crashes");
      return audit(journals);
    } finally {
      delete(journals);
    }
  }

  /// One supervisor for all: the accounts first, then the tellers, who need all of them.
  private void workHere(String[] names, Path journals, Chaos chaos) {
    try (var runtime = ProcessRuntime.start()) {
      var bank = supervisor();
      for (String name : names) {
        bank.child(
            ChildSpec.of(name, () -> new Account(journals.resolve(name), chaos))
                .withOptions(StartOptions.defaults().withName(name)));
      }
      Counter counter = (account, booking) -> ask(runtime, account, booking);
      tellers(names, counter, chaos).forEach(teller -> bank.child(teller.withAfter(names)));
      close(runtime, runtime.spawn(bank.build()));
    }
  }

  /// The tellers are here, and the accounts at other nodes.
  private void workAtNodes(String[] names, Path journals, Chaos chaos)
      throws IOException, InterruptedException {
    try (var branches = new Branches(nodes, journals)) {
      var bank = supervisor();
      tellers(names, branches::ask, chaos).forEach(bank::child);
      Pid pid = branches.cluster.runtime().spawn(bank.build());
      var chance = new Random(seed);
      for (int i = 1; i <= kills; i++) {
        while (done.get() < (long) i * tellers * transfers / (kills + 1)) { // amid their work
          Heddle.delay(Duration.ofMillis(10));
        }
        branches.kill(chance.nextInt(nodes));
      }
      close(branches.cluster.runtime(), pid);
    }
  }

  private Supervisor.Builder supervisor() {
    var atWork = new AtomicInteger(tellers);
    return Supervisor.builder()
        .intensity(Integer.MAX_VALUE, Duration.ofSeconds(1)) // as often as it takes
        .backoff(Backoff.constant(Duration.ofMillis(1)))
        .listener(child -> {
          if (child.state() == State.EXITED && atWork.decrementAndGet() == 0) {
            workDone.complete(null);
          }
        });
  }

  private List<ChildSpec> tellers(String[] accounts, Counter counter, Chaos chaos) {
    var tellers = new ArrayList<ChildSpec>();
    for (int i = 0; i < this.tellers; i++) {
      Deque<Transfer> list = list(accounts, i);
      tellers.add(
          ChildSpec.of("teller-" + i, () -> new Teller(list, counter, chaos, done))
              .withRestart(Restart.TRANSIENT));
    }
    return tellers;
  }

  /// Waits until all is done, and then until nobody writes into the journals any more.
  private void close(ProcessRuntime runtime, Pid bank) {
    CompletableFuture<Exit> closed = runtime.whenExited(bank);
    Heddle.await(CompletableFuture.anyOf(workDone, closed));
    runtime.cancel(bank, "closing time", Duration.ofSeconds(5));
    Heddle.await(closed);
  }

  private static @Nullable Boolean ask(ProcessRuntime runtime, String account, Booking booking)
      throws InterruptedException {
    try {
      return runtime.ask(account, booking, Duration.ofSeconds(5));
    } catch (AskFailedException | SendFailedException | DeadlineException _) {
      return null; // it had crashed, or did so now
    }
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
        if (booking.number() != OPENING && booking.amount() != 0) {
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
    try (var files = Files.walk(folder)) {
      for (Path file : files.toList().reversed()) {
        Files.delete(file);
      }
    }
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
  private Statement statement = new Statement(new HashMap<>(), 0);

  Account(Path journal, Chaos chaos) {
    this.journal = journal;
    this.chaos = chaos;
  }

  @Override
  protected @Nullable Object run(@Nullable Object input) {
    // on a thread for that: a million lines take a second, for which no step may hold its worker
    statement = execute(Commands.call(() -> Statement.of(read(Files.readAllBytes(journal)))));
    while (true) {
      Request request = receive(Request.class);
      request.reply().complete(book((Booking) request.message()));
    }
  }

  private boolean book(Booking booking) {
    if (statement.booked().containsKey(booking.number())) {
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

/// What an account has come to: its bookings by their numbers, to which each new one is added, and
/// their sum.
record Statement(Map<Long, Long> booked, long balance) {
  static Statement of(List<Booking> bookings) {
    var statement = new Statement(new HashMap<>(), 0);
    for (Booking booking : bookings) {
      statement = statement.with(booking);
    }
    return statement;
  }

  Statement with(Booking booking) {
    booked.put(booking.number(), booking.amount());
    return new Statement(booked, balance + booking.amount());
  }
}

/// Where tellers ask for bookings.
interface Counter {
  /// Asks once.
  ///
  /// @return whether it is booked; null when that is not known
  @Nullable Boolean ask(String account, Booking booking) throws InterruptedException;
}

/// Works through a list of transfers, which outlives it.
final class Teller extends CoroutineProcess {
  private final Deque<Transfer> list;
  private final Counter counter;
  private final Chaos chaos;
  private final AtomicInteger done;

  Teller(Deque<Transfer> list, Counter counter, Chaos chaos, AtomicInteger done) {
    this.list = list;
    this.counter = counter;
    this.chaos = chaos;
    this.done = done;
  }

  @Override
  protected @Nullable Object run(@Nullable Object input) throws InterruptedException {
    for (Transfer next = list.peek(); next != null; next = list.peek()) {
      if (book(next.from(), new Booking(next.number(), -next.amount()))) {
        chaos.strike(); // the money is nowhere
        book(next.to(), new Booking(next.number(), next.amount()));
      }
      list.remove();
      done.incrementAndGet();
    }
    return null;
  }

  /// Asks until there is an answer: an account that has crashed will be there again.
  private boolean book(String account, Booking booking) throws InterruptedException {
    Boolean answer = counter.ask(account, booking);
    while (answer == null) {
      sleep(Duration.ofMillis(1));
      answer = counter.ask(account, booking);
    }
    return answer;
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
  final AtomicInteger crashes = new AtomicInteger();

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
}

/// The accounts at several nodes, each a JVM of its own that may be killed at any moment.
///
/// An account is an entity: a process that the whole cluster has once, at the node that owns its
/// shard. When that node is lost, the next booking starts the account at another one. So that not a
/// cent gets lost, whatever happens when:
///
/// - A transfer has a number, and a teller repeats each half of it until it is answered. Whether a
///   lost answer was a yes or a no, and whether the booking has arrived at all, it need not know.
/// - An account remembers what it has answered to each number, a no as well as a yes. So a booking
///   that comes twice, or late, changes nothing.
/// - It writes that down before it answers, and the process that follows it reads it first.
/// - A node that is taken for dead may only be slow, and go on to write. So each owner of a shard
///   has a token, higher than all before, and a [OwnedJournal] refuses those before.
///
/// Files of this machine stand for a database that several would share.
final class Branches implements AutoCloseable {
  /// In the arguments of a JVM that is a node; then comes its name.
  static final String OPTION = "--branch";

  private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
  private static final ShardOptions SHARDS = ShardOptions.entry("account").count(16);

  private final Path journals;
  private final Child[] nodes;
  private final Shards accounts;
  private final Map<String, Integer> answers = new ConcurrentSkipListMap<>(); // by node
  final Cluster cluster;

  /// What an account answers, and where it was at that time.
  record Receipt(boolean isBooked, String node) {}

  Branches(int count, Path journals) throws IOException {
    this.journals = journals;
    this.nodes = new Child[count];
    for (int i = 0; i < count; i++) {
      start(i);
    }
    cluster = Heddle.offload(() -> Cluster.join(options("tellers", count, journals)));
    accounts = cluster.shards("account", SHARDS);
  }

  /// The nodes with accounts vote about who owns which shard; a majority of them has to live.
  private static ClusterOptions options(String name, int nodes, Path journals) {
    return ClusterOptions.named(name)
        .cluster(journals.getFileName().toString())
        .voters(NAMES.subList(0, nodes).toArray(String[]::new))
        .messages(Booking.class, Receipt.class);
  }

  /// By the command line of this JVM, with two words more.
  private void start(int node) throws IOException {
    ProcessHandle.Info self = ProcessHandle.current().info();
    List<String> line = new ArrayList<>(List.of(self.command().orElseThrow()));
    Collections.addAll(line, self.arguments().orElseThrow());
    Collections.addAll(line, OPTION, NAMES.get(node));
    nodes[node] =
        Command.of(line)
            .withEnvironment(OPTION, journals.toString())
            .withOutput(Redirect.INHERIT)
            .withError(Redirect.INHERIT)
            .start();
  }

  /// The life of such a JVM.
  static void open(String name, int count) throws IOException {
    Path journals = Path.of(System.getenv(OPTION));
    ClusterOptions options =
        options(name, count, journals)
            .directory(journals.resolve(name))
            .entry("account", () -> new MovableAccount(journals, name));
    try (Cluster cluster = Heddle.offload(() -> Cluster.join(options))) { // it takes a second
      cluster.shards("account", SHARDS);
      Heddle.offload(System.in::readAllBytes); // until the bank has ended
    }
  }

  @Nullable Boolean ask(String account, Booking booking) throws InterruptedException {
    try {
      Receipt receipt = accounts.of(account).ask(booking, Duration.ofSeconds(5));
      answers.merge(receipt.node(), 1, Integer::sum);
      return receipt.isBooked();
    } catch (NoQuorumException | NotDeliveredException | EntityFailedException _) {
      return null; // its node was lost, or it has another owner by now
    } catch (DeadlineException _) {
      return null; // it may be booked all the same
    }
  }

  /// As `kill -9` does. The node starts again, and others may have its accounts in between.
  void kill(int node) throws IOException {
    nodes[node].kill();
    nodes[node].await();
    System.out.println("Node " + NAMES.get(node) + " was killed, and starts again.");
    start(node);
  }

  /// All nodes end at once, in the hardest way. What they have answered is written down.
  @Override
  public void close() {
    System.out.println("Answers by node: " + answers);
    cluster.close();
    for (Child node : nodes) {
      node.kill();
      node.await();
    }
  }
}

/// An account that goes on at another node, with the same journal.
final class MovableAccount extends CoroutineProcess {
  private final Path journals;
  private final String node;

  MovableAccount(Path journals, String node) {
    this.journals = journals;
    this.node = node;
  }

  @Override
  protected @Nullable Object run(@Nullable Object input) {
    EntityId id = (EntityId) Objects.requireNonNull(input);
    var journal = new OwnedJournal(journals.resolve(id.key()), id.token());
    Statement statement = execute(Commands.call(journal::open));
    while (true) {
      Request request = receive(Request.class);
      Booking booking = (Booking) Objects.requireNonNull(request.message());
      Long before = statement.booked().get(booking.number());
      if (before == null) {
        boolean isCovered = statement.balance() + booking.amount() >= 0;
        var answer = new Booking(booking.number(), isCovered ? booking.amount() : 0);
        execute(Commands.call(() -> journal.write(answer)));
        statement = statement.with(answer);
        before = answer.amount();
      }
      request.reply().complete(new Branches.Receipt(before != 0, node));
    }
  }
}

/// A journal that several nodes reach, one of which owns it. The highest token that has opened it
/// is written beside it; a lock makes the look at it and what follows one step. A line that this
/// owner has not read is of a write that was cut off here, and came late.
final class OwnedJournal {
  private final Path file;
  private final long token;
  private long end; // of what this owner has read and written

  OwnedJournal(Path file, long token) {
    this.file = file;
    this.token = token;
  }

  /// From now on none of the owners before this one can write.
  Statement open() throws Exception {
    return asOwner(() -> {
      String lines = Files.readString(file);
      int whole = lines.lastIndexOf('\n') + 1; // then half a line, of which nobody was told
      end = whole;
      try (var journal = FileChannel.open(file, WRITE)) {
        journal.truncate(whole);
      }
      return Statement.of(Account.read(lines.substring(0, whole).getBytes(UTF_8)));
    });
  }

  /// A machine that may lose its power would also call `force`.
  Path write(Booking booking) throws Exception {
    String line = booking.number() + " " + booking.amount() + "\n";
    return asOwner(() -> {
      if (Files.size(file) != end) {
        throw new IOException(file.getFileName() + " has a line that was not read");
      }
      end += line.length();
      return Files.writeString(file, line, APPEND);
    });
  }

  private <T> T asOwner(Callable<T> access) throws Exception {
    Path owner = Path.of(file + ".owner");
    try (var channel = FileChannel.open(owner, CREATE, READ, WRITE);
        var _ = channel.lock()) {
      var highest = ByteBuffer.allocate(Long.BYTES);
      channel.read(highest, 0); // zeros, the first time
      if (token < highest.getLong(0)) {
        throw new IOException(file.getFileName() + " has another owner by now");
      }
      channel.write(highest.putLong(0, token).rewind(), 0);
      return access.call();
    }
  }
}
