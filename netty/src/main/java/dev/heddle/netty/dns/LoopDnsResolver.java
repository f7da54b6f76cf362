// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import dev.heddle.Heddle;
import dev.heddle.io.SrvRecord;
import dev.heddle.io.TxtRecord;
import dev.heddle.io.dns.NameResolver;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.dns.Lookups.Lookup;
import io.netty.handler.codec.dns.DnsRecordType;
import java.net.IDN;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The resolver of a loop: the hosts file, then what is still known, then the name servers.
final class LoopDnsResolver implements NameResolver {
  /*
   * A stub resolver, as the system's: it asks servers that do the rest, and takes their word.
   *
   * name ─> hosts file ─> localhost ─> for each name of the search list: A and AAAA, side by side
   * ─> addresses question ─> cache ─> for each attempt, for each server: a query
   *
   * The steps to the questions are plain code of the coroutine that asks; the rest is Lookups',
   * which all share that ask the same at once. A server that does not answer delays only those that
   * ask it.
   *
   * What ends the search. Addresses do. "There is none" leads on to the next name. A failure does
   * not: if a server that does not answer led on, a name could be found in the wrong domain. Of A
   * and AAAA one may fail: the other's addresses are taken, as the system does.
   *
   * A family that is late. There are servers that do not answer for AAAA, and each look-up would
   * last as long as for a dead one. So when one family's addresses are there, the other is waited
   * for a moment more (RFC 8305, section 3), and then not asked for at this host for a while,
   * unless the first has none then. Remembered is the question, not the server: one zone that is
   * slow must not take a family from all other hosts.
   *
   * Whom to ask again. A server that was silent, in the next attempt; one that has said that it
   * does not know, not.
   *
   * Time. An answer is kept as long as its records say, the shortest of a chain of aliases; "there
   * is none" as long as the zone's authority says (RFC 2308), and failures not at all. The cache's
   * entries run out when they are looked at; no timer waits for it, so it keeps no loop alive and
   * no deadlock hidden.
   *
   * Threads. The loop's.
   *
   * Rejected. DnsNameResolver.resolveAll: it asks the next server what one has said there is not,
   * asks no server twice, counts resolv.conf's attempts as its bound of all queries, does not keep
   * what it was told there is not, and with its caches' timers a loop is never at rest. Its query()
   * is what is used.
   *
   * Sources. RFC 1035, 2308, 6761 (localhost), 6762 (.local); resolv.conf(5), hosts(5).
   */

  /// How long the second family's addresses are waited for when the first's are there. A connection
  /// waits as long for an address that is dead. RFC 8305 has 50 milliseconds, for connections
  /// alone: here those ask, too, that want all addresses, and keep them for a while.
  static final Duration PATIENCE = Duration.ofMillis(250);

  private static final String LOCALHOST = "localhost";
  private static final List<InetAddress> LOOPBACK =
      List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));

  private final SystemFile<ResolvConf> resolvConf;
  private final SystemFile<HostsFile> hosts;
  private final String ownName;
  private final Duration patience;
  private final Lookups lookups = new Lookups(new AnswerCache(System::nanoTime));
  private final SlowQuestions late = new SlowQuestions(System::nanoTime);
  private @Nullable Queries queries;
  private @Nullable ResolvConf conf; // that of `queries`

  /// @param patience with the second family of addresses, as [#PATIENCE]
  LoopDnsResolver(
      SystemFile<ResolvConf> resolvConf,
      SystemFile<HostsFile> hosts,
      String ownName,
      Duration patience) {
    this.resolvConf = resolvConf;
    this.hosts = hosts;
    this.ownName = ownName.toLowerCase(Locale.ROOT);
    this.patience = patience;
  }

  // ---- what is asked ----

  @Override
  public @Nullable List<InetAddress> addresses(String host, LookupPolicy policy)
      throws UnknownHostException {
    String name = ascii(host);
    List<InetAddress> local = wanted(local(name), policy);
    if (!local.isEmpty()) {
      return named(host, local);
    }
    if (isOfSystem(name) || !canAsk()) {
      return null;
    }
    List<String> reasons = new ArrayList<>();
    for (String candidate : conf().candidates(name)) {
      List<InetAddress> found = addressesOf(candidate, policy, reasons);
      if (!found.isEmpty()) {
        return named(host, found);
      }
    }
    throw unknown(host, reasons);
  }

  @Override
  public @Nullable String name(byte[] address) throws UnknownHostException {
    InetAddress of = InetAddress.getByAddress(address);
    String known = hosts.content().nameOf(of);
    if (known == null && canAsk()) {
      known = (String) records(reverse(of), DnsRecordType.PTR).getFirst();
    }
    return known;
  }

  @Override
  public List<SrvRecord> services(String name) throws UnknownHostException {
    requireThatItCanAsk(name);
    List<SrvRecord> offered =
        records(name, DnsRecordType.SRV).stream()
            .map(SrvRecord.class::cast)
            .filter(service -> !service.target().isEmpty()) // "." is no host: RFC 2782
            .toList();
    if (offered.isEmpty()) {
      throw new UnknownHostException(name + ": the DNS says that the service is not offered");
    }
    return offered.stream()
        .sorted(
            Comparator.comparingInt(SrvRecord::priority)
                .thenComparing(Comparator.comparingInt(SrvRecord::weight).reversed()))
        .toList();
  }

  @Override
  public List<TxtRecord> texts(String name) throws UnknownHostException {
    requireThatItCanAsk(name);
    return records(name, DnsRecordType.TXT).stream().map(TxtRecord.class::cast).toList();
  }

  // ---- which servers are asked ----

  /// Whether the system knows it by other means: mDNS, and the name that the machine has itself.
  private boolean isOfSystem(String name) {
    return name.equals(ownName) || name.endsWith(".local") || name.endsWith(".local.");
  }

  /// Whether the event loop takes queries: not while it ends. What a query needs is there then.
  private static boolean canAsk() {
    HeddleEventLoop loop = HeddleEventLoop.current();
    if (!WarmUp.isDone()) {
      var _ = Heddle.<Boolean>offload(() -> WarmUp.run(loop.datagramChannelType()));
    }
    return !loop.isShuttingDown();
  }

  private static void requireThatItCanAsk(String name) throws UnknownHostException {
    if (!canAsk()) {
      throw new UnknownHostException(name + ": the loop is ending, and asks no name server");
    }
  }

  // ---- addresses ----

  /// What is known without a name server, maybe nothing.
  private List<InetAddress> local(String name) {
    String plain = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    List<InetAddress> known = hosts.content().addressesOf(plain);
    boolean isLoopback =
        known.isEmpty() && (plain.equals(LOCALHOST) || plain.endsWith("." + LOCALHOST));
    return isLoopback ? LOOPBACK : known;
  }

  private List<InetAddress> addressesOf(String name, LookupPolicy policy, List<String> reasons)
      throws UnknownHostException {
    List<Question> first = new ArrayList<>();
    List<Question> second = new ArrayList<>();
    for (DnsRecordType type : types(policy)) {
      Question question = new Question(name, type);
      (late.contains(question) ? second : first).add(question);
    }
    List<String> failures = new ArrayList<>();
    List<InetAddress> found = found(first, reasons, failures);
    if (found.isEmpty()) {
      found = found(second, reasons, failures);
    }
    if (found.isEmpty() && !failures.isEmpty()) {
      throw unknown(name, failures); // another name might be another host
    }
    return wanted(found, policy);
  }

  private List<InetAddress> found(
      List<Question> questions, List<String> reasons, List<String> failures) {
    List<InetAddress> found = new ArrayList<>();
    List<Answer> answers = answers(questions);
    for (int i = 0; i < answers.size(); i++) {
      String name = questions.get(i).name();
      switch (answers.get(i)) {
        case Answer.Found records -> records.values().forEach(v -> found.add((InetAddress) v));
        case Answer.None none -> reasons.add(name + ": " + none.why());
        case Answer.Failed failed -> failures.add(name + ": " + failed.why());
        case Answer.Alias alias -> throw new IllegalStateException("not followed: " + alias);
      }
    }
    return found;
  }

  private static List<DnsRecordType> types(LookupPolicy policy) {
    Stream.Builder<DnsRecordType> types = Stream.builder();
    if ((policy.characteristics() & LookupPolicy.IPV4) != 0) {
      types.add(DnsRecordType.A);
    }
    if ((policy.characteristics() & LookupPolicy.IPV6) != 0) {
      types.add(DnsRecordType.AAAA);
    }
    return types.build().toList();
  }

  /// Those of the families that are asked for, in the order of the families.
  private static List<InetAddress> wanted(List<InetAddress> found, LookupPolicy policy) {
    int asked = policy.characteristics();
    Comparator<InetAddress> order =
        Comparator.comparing(
            address -> isIpv4(address) == ((asked & LookupPolicy.IPV6_FIRST) != 0));
    return found.stream()
        .filter(a -> (asked & (isIpv4(a) ? LookupPolicy.IPV4 : LookupPolicy.IPV6)) != 0)
        .sorted(order)
        .toList();
  }

  private static boolean isIpv4(InetAddress address) {
    return address instanceof Inet4Address;
  }

  private static List<InetAddress> named(String host, List<InetAddress> found)
      throws UnknownHostException {
    List<InetAddress> named = new ArrayList<>(found.size());
    for (InetAddress address : found) {
      named.add(
          address instanceof java.net.Inet6Address six && six.getScopeId() != 0
              ? java.net.Inet6Address.getByAddress(host, six.getAddress(), six.getScopeId())
              : InetAddress.getByAddress(host, address.getAddress()));
    }
    return List.copyOf(named);
  }

  // ---- records ----

  private List<?> records(String asked, DnsRecordType type) throws UnknownHostException {
    List<String> reasons = new ArrayList<>();
    for (String candidate : conf().candidates(ascii(asked))) {
      switch (answers(List.of(new Question(candidate, type))).getFirst()) {
        case Answer.Found found -> {
          return leftOf(found);
        }
        case Answer.None none -> reasons.add(candidate + ": " + none.why());
        case Answer.Failed failed ->
            throw unknown(candidate, List.of(candidate + ": " + failed.why()));
        case Answer.Alias alias -> throw new IllegalStateException("not followed: " + alias);
      }
    }
    throw unknown(asked, reasons);
  }

  /// The same records, to be kept no longer than is left of the answer.
  private static List<?> leftOf(Answer.Found found) {
    Duration left = Duration.ofSeconds(found.ttl());
    return found.values().stream()
        .map(value ->
            switch (value) {
              case SrvRecord srv when srv.ttl().compareTo(left) > 0 ->
                  new SrvRecord(srv.target(), srv.port(), srv.priority(), srv.weight(), left);
              case TxtRecord txt when txt.ttl().compareTo(left) > 0 ->
                  new TxtRecord(txt.strings(), left);
              default -> value;
            })
        .toList();
  }

  private static String reverse(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (isIpv4(address)) {
      return "%d.%d.%d.%d.in-addr.arpa."
          .formatted(bytes[3] & 0xff, bytes[2] & 0xff, bytes[1] & 0xff, bytes[0] & 0xff);
    }
    return IntStream.rangeClosed(1, bytes.length)
        .map(i -> bytes[bytes.length - i])
        .mapToObj(b -> Integer.toHexString(b & 0xf) + "." + Integer.toHexString(b >> 4 & 0xf))
        .collect(Collectors.joining(".", "", ".ip6.arpa."));
  }

  // ---- questions ----

  private List<Answer> answers(List<Question> questions) {
    Queries with = queries();
    ResolvConf by = conf();
    List<Lookup> joined = new ArrayList<>();
    try {
      questions.forEach(question -> joined.add(lookups.join(question, with, by)));
      List<Answer> answers = Lookups.awaitAll(joined, patience);
      for (int i = 0; i < answers.size(); i++) {
        remember(questions.get(i), answers.get(i));
      }
      return answers;
    } finally {
      joined.forEach(Lookup::leave);
    }
  }

  private void remember(Question question, Answer answer) {
    if (answer.equals(Lookups.LATE)) {
      late.add(question);
    } else if (!(answer instanceof Answer.Failed)) {
      late.remove(question);
    }
  }

  private Queries queries() {
    ResolvConf now = conf();
    Queries known = queries;
    HeddleEventLoop loop = HeddleEventLoop.current();
    if (known == null || !known.loop().equals(loop) || !now.equals(conf)) {
      known = new Queries(loop, now.timeout(), now.edns0());
      queries = known;
      conf = now;
    }
    return known;
  }

  private ResolvConf conf() {
    return resolvConf.content();
  }

  // ---- names ----

  /// In lower case, as the DNS has it.
  private static String ascii(String host) throws UnknownHostException {
    try {
      // an ideographic full stop is one, too; the one at the end is lost
      String name = IDN.toASCII(host, IDN.ALLOW_UNASSIGNED).toLowerCase(Locale.ROOT);
      boolean isComplete = host.endsWith(".") && !name.endsWith(".");
      if (name.isEmpty() || name.startsWith(".") || name.contains("..")) {
        throw new IllegalArgumentException("a part of it is empty");
      }
      if (name.length() > 253) {
        throw new IllegalArgumentException("it is longer than 253 characters");
      }
      return isComplete ? name + "." : name;
    } catch (IllegalArgumentException e) {
      UnknownHostException failure =
          new UnknownHostException("'" + host + "' is no name of a host: " + e.getMessage());
      failure.initCause(e);
      throw failure;
    }
  }

  private static UnknownHostException unknown(String name, List<String> reasons) {
    String why = reasons.stream().distinct().collect(Collectors.joining("; "));
    return new UnknownHostException(
        reasons.stream().allMatch(reason -> reason.startsWith(name + ": "))
            ? why
            : name + ": " + why);
  }
}
