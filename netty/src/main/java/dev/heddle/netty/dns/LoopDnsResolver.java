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
import java.net.Inet6Address;
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

/// The resolver of a loop: the hosts file, then the cache, then the name servers.
final class LoopDnsResolver implements NameResolver {
  /*
   * A stub resolver like the system's: it queries recursive servers and trusts their answers.
   *
   * name ─> hosts file ─> localhost ─> for each name of the search list: A and AAAA, side by side
   * ─> addresses question ─> cache ─> for each attempt, for each server: a query
   *
   * The steps up to the questions run in the calling coroutine; the rest is done by Lookups, which
   * coroutines with the same question share. A server that does not answer delays only the look-ups
   * that query it.
   *
   * What ends the search. Addresses do. A negative answer continues with the next name of the
   * search list. A failure ends the search: continuing after a server that did not answer could
   * find the name in the wrong domain. If one of A and AAAA fails, the other's addresses are used,
   * as the system does.
   *
   * A late family. Some servers never answer AAAA queries, so each look-up would take as long as
   * with a dead server. So when one family's addresses have arrived, the look-up waits only
   * PATIENCE for the other (RFC 8305, section 3). For a while, that family of this host is then not
   * queried, unless the first family has no address. The question is remembered, not the server:
   * one slow zone must not remove a family from all other hosts.
   *
   * Retries. A silent server is queried again in the next attempt; a server that answered with a
   * failure is not.
   *
   * Caching. An answer is cached for the minimum TTL of its alias chain, a negative answer for the
   * TTL of the zone's SOA record (RFC 2308), a failure not at all. Entries expire when they are
   * read, without a timer, so the cache neither keeps a loop alive nor hides a deadlock.
   *
   * Threads. The carrier.
   *
   * Rejected. DnsNameResolver.resolveAll: it queries the next server after a negative answer,
   * queries no server twice, takes resolv.conf's attempts as the limit of all queries, does not
   * cache negative answers, and its cache timers keep the loop busy. Only its query() is used.
   *
   * Sources. RFC 1035, 2308, 6761 (localhost), 6762 (.local); resolv.conf(5), hosts(5).
   */

  /// How long a look-up waits for the second family's addresses after the first's have arrived: as
  /// long as a connection attempt waits before the next address. RFC 8305 recommends 50 ms for
  /// connections; look-ups here also serve callers that want all addresses and keep them.
  static final Duration PATIENCE = Duration.ofMillis(250);

  private static final List<InetAddress> LOOPBACK =
      List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));

  private final SystemFile<ResolvConf> resolvConf;
  private final SystemFile<HostsFile> hosts;
  private final String ownName;
  private final Duration patience;
  private final Lookups lookups = new Lookups(new AnswerCache(System::nanoTime));
  private final SlowQuestions late = new SlowQuestions(System::nanoTime);
  private @Nullable Queries queries;
  private @Nullable ResolvConf conf; // the configuration of `queries`

  /// @param patience wait for the second family, see [#PATIENCE]
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

  // ---- look-ups ----

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
            .filter(service -> !service.target().isEmpty()) // "." means no service: RFC 2782
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

  // ---- servers ----

  /// Whether the system resolves it by other means: mDNS names and the machine's own name.
  private boolean isOfSystem(String name) {
    return name.equals(ownName) || name.endsWith(".local") || name.endsWith(".local.");
  }

  /// Whether the event loop accepts queries, which it does not while it shuts down.
  private static boolean canAsk() {
    HeddleEventLoop loop = HeddleEventLoop.current();
    if (!WarmUp.isDone()) {
      var _ = Heddle.<Boolean>offload(() -> WarmUp.run(loop.datagramChannelType()));
    }
    return !loop.isShuttingDown();
  }

  private static void requireThatItCanAsk(String name) throws UnknownHostException {
    if (!canAsk()) {
      throw new UnknownHostException(name + ": the loop is ending and queries no name server");
    }
  }

  // ---- addresses ----

  /// The addresses known without a name server, possibly none.
  private List<InetAddress> local(String name) {
    String plain = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    List<InetAddress> known = hosts.content().addressesOf(plain);
    boolean isLoopback = plain.equals("localhost") || plain.endsWith(".localhost");
    return isLoopback && known.isEmpty() ? LOOPBACK : known;
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
      throw unknown(name, failures); // the next name might be another host
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
    int asked = policy.characteristics();
    return Stream.of(DnsRecordType.A, DnsRecordType.AAAA)
        .filter(type ->
            (asked & (type.equals(DnsRecordType.A) ? LookupPolicy.IPV4 : LookupPolicy.IPV6)) != 0)
        .toList();
  }

  /// The addresses of the wanted families, in the order of the families.
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
          address instanceof Inet6Address six && six.getScopeId() != 0
              ? Inet6Address.getByAddress(host, six.getAddress(), six.getScopeId())
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

  /// The same records, with TTLs limited to the remaining TTL of the answer.
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

  /// The name in lower case and in ASCII.
  private static String ascii(String host) throws UnknownHostException {
    try {
      // an ideographic full stop counts, too; a trailing one is dropped
      String name = IDN.toASCII(host, IDN.ALLOW_UNASSIGNED).toLowerCase(Locale.ROOT);
      boolean isComplete = host.endsWith(".") && !name.endsWith(".");
      if (name.isEmpty() || name.startsWith(".") || name.contains("..")) {
        throw new IllegalArgumentException("it has an empty label");
      }
      if (name.length() > 253) {
        throw new IllegalArgumentException("it is longer than 253 characters");
      }
      return isComplete ? name + "." : name;
    } catch (IllegalArgumentException e) {
      String message = "'" + host + "' is not a host name: " + e.getMessage();
      throw (UnknownHostException) new UnknownHostException(message).initCause(e);
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
