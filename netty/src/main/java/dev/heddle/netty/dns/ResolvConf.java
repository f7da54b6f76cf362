// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/// The configuration of the system's resolver. Defaults and limits are those of resolv.conf(5),
/// except that a name server may have a port.
///
/// @param servers at least one
/// @param search search domains, in lower case
/// @param ndots names with at least as many dots are first tried as they are
/// @param timeout of one query to one server
/// @param attempts number of queries to each server
/// @param rotate whether look-ups alternate between the servers
/// @param edns0 whether UDP answers may exceed 512 bytes
record ResolvConf(
    List<InetSocketAddress> servers,
    List<String> search,
    int ndots,
    Duration timeout,
    int attempts,
    boolean rotate,
    boolean edns0) {
  private static final int MOST_SERVERS = 3;
  private static final int MOST_DOTS = 15;
  private static final int MOST_SECONDS = 30;
  private static final int MOST_ATTEMPTS = 5;

  /// @param hostName the machine's name; its domain is the default search list
  static ResolvConf parse(List<String> lines, Map<String, String> environment, String hostName) {
    Draft draft = new Draft();
    int dot = hostName.indexOf('.');
    draft.search(dot < 0 ? Stream.of() : Stream.of(hostName.substring(dot)));
    lines.forEach(draft::line);
    String local = environment.get("LOCALDOMAIN");
    if (local != null) {
      draft.search(Arrays.stream(words(local)));
    }
    for (String option : words(environment.getOrDefault("RES_OPTIONS", ""))) {
      draft.option(option);
    }
    return draft.finished();
  }

  private static String[] words(String text) {
    return text.strip().split("\\s+");
  }

  private static final class Draft {
    private final List<InetSocketAddress> servers = new ArrayList<>();
    private List<String> search = List.of();
    private int ndots = 1;
    private int seconds = 5;
    private int attempts = 2;
    private boolean rotate;
    private boolean edns0;

    void line(String line) {
      String[] words = words(line.replaceFirst("[#;].*", ""));
      Stream<String> values = Arrays.stream(words).skip(1);
      switch (words[0]) {
        case "nameserver" -> values.limit(1).forEach(this::server);
        case "domain" -> search(values.limit(1));
        case "search" -> search(values);
        case "options" -> values.forEach(this::option);
        default -> {} // sortlist and unknown keywords, which the system skips
      }
    }

    void server(String text) {
      InetSocketAddress server = Literals.server(text);
      if (server != null && servers.size() < MOST_SERVERS) {
        servers.add(server);
      }
    }

    void search(Stream<String> domains) {
      search =
          domains
              .map(domain -> domain.toLowerCase(Locale.ROOT).replaceAll("^\\.|\\.$", ""))
              .filter(domain -> !domain.isEmpty())
              .distinct()
              .toList();
    }

    void option(String option) {
      int colon = option.indexOf(':');
      String name = colon < 0 ? option : option.substring(0, colon);
      String value = option.substring(colon + 1);
      int number = value.matches("[0-9]{1,6}") ? Integer.parseInt(value) : -1;
      switch (name) {
        case "rotate" -> rotate = true;
        case "edns0" -> edns0 = true;
        case "ndots" -> ndots = number < 0 ? ndots : Math.min(number, MOST_DOTS);
        case "timeout" -> seconds = number < 0 ? seconds : Math.clamp(number, 1, MOST_SECONDS);
        case "attempts" -> attempts = number < 0 ? attempts : Math.clamp(number, 1, MOST_ATTEMPTS);
        default -> {} // not supported
      }
    }

    ResolvConf finished() {
      List<InetSocketAddress> known =
          servers.isEmpty()
              ? List.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 53))
              : List.copyOf(servers);
      return new ResolvConf(
          known, search, ndots, Duration.ofSeconds(seconds), attempts, rotate, edns0);
    }
  }

  /// The names to try for a host, in order.
  ///
  /// @param name in lower case; fully qualified if it has a trailing dot
  List<String> candidates(String name) {
    if (name.endsWith(".")) {
      return List.of(name.substring(0, name.length() - 1));
    }
    List<String> searched = search.stream().map(domain -> name + "." + domain).toList();
    boolean complete = name.chars().filter(c -> c == '.').count() >= ndots;
    return complete
        ? Stream.concat(Stream.of(name), searched.stream()).toList()
        : Stream.concat(searched.stream(), Stream.of(name)).toList();
  }
}
