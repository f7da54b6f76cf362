// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Scope;
import dev.heddle.io.Server;
import dev.heddle.io.Tcp;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Request;
import dev.heddle.process.StepOutput;

/// Checks every link of a site, and says what the site is about. Serves a folder (this project's
/// own pages, when none is named) over HTTP and crawls it through real sockets, or crawls a site
/// that is already there. One thread fetches; processes on all cores count the words.
final class SiteCheck {
  private static final String USAGE =
      """
      usage: ./heddle run examples/SiteCheck.java [OPTIONS] [FOLDER | http://HOST/PATH]
        -n, --coroutines N  pages fetched at the same time (16)
        -t, --timeout MS    time for one page, in milliseconds (5000)
        -h, --help          this text
      exit code: 0 all links work, 1 some are broken, 2 wrong usage, 130 after Ctrl-C\
      """;

  private String place = Objects.requireNonNullElse(System.getenv("HEDDLE_HOME"), ".");
  private int atOnce = 16;
  private Duration timeout = Duration.ofSeconds(5);

  static void main(String[] args) throws IOException, InterruptedException {
    if (Stream.of(args).anyMatch(Set.of("-h", "--help")::contains)) {
      System.out.println(USAGE);
      return;
    }
    var check = new SiteCheck();
    try {
      check.parse(new ArrayDeque<>(List.of(args)));
    } catch (IllegalArgumentException e) {
      System.err.println("SiteCheck: " + e.getMessage() + "\n" + USAGE);
      Heddle.exit(2);
    }
    if (check.run() > 0) {
      Heddle.exit(1);
    }
  }

  private void parse(Deque<String> words) {
    for (String word = words.poll(); word != null; word = words.poll()) {
      switch (word) {
        case "-n", "--coroutines" -> atOnce = number(word, words.poll());
        case "-t", "--timeout" -> timeout = Duration.ofMillis(number(word, words.poll()));
        default -> place = word;
      }
    }
    boolean site = place.startsWith("http://") && URI.create(place).getHost() != null;
    if (!site && !Files.isDirectory(Path.of(place))) {
      throw new IllegalArgumentException("no such option, folder or http:// address: " + place);
    }
  }

  private static int number(String option, String value) {
    if (value == null || !value.matches("[1-9][0-9]{0,8}")) {
      throw new IllegalArgumentException(option + " needs a number from 1, not " + value);
    }
    return Integer.parseInt(value);
  }

  /// Serves, crawls and reports; whatever it has started has ended when it returns.
  private int run() throws IOException, InterruptedException {
    try (Server server = place.startsWith("http:") ? null : serve();
        var words = new Words()) {
      String start = server == null ? place : FileServer.address(server);
      var crawl = new Crawl(start, atOnce, timeout, words);
      try {
        crawl.run();
      } finally {
        crawl.report(); // also after Ctrl-C, which cancels this coroutine
        words.report();
      }
      return crawl.broken().size();
    }
  }

  private Server serve() throws IOException {
    var files = new FileServer(Path.of(place).toRealPath());
    Server server = files.serve(0);
    System.out.println("Serving " + files.root() + " at " + FileServer.address(server));
    return server;
  }
}

/// Follows the links of one host, each URL once. A coroutine for each page; they share the maps
/// without a lock, for they run on one thread and switch only where they wait.
final class Crawl {
  /// What became of a URL: `problem` is null when it works, `ids` when it is no HTML.
  record Page(String problem, Duration took, Set<String> ids) {}

  /// A place that names another; `id` is what follows the `#`, or empty.
  record Link(URI from, URI to, String id) {}

  private static final Pattern HREF =
      Pattern.compile(
          "(?i)<(?:a|area|link|img|script|iframe|source)\\b[^>]*?\\s(?:href|src)\\s*=\\s*"
              + "(\"[^\"]*\"|'[^']*'|[^\\s>\"']+)");
  private static final Pattern ID =
      Pattern.compile("(?i)<[^>]*?\\s(?:id|name)\\s*=\\s*[\"']?([^\"'\\s>]+)");

  private final URI start;
  private final Duration timeout;
  private final Words words;
  private final Semaphore slots;
  private final long began = System.nanoTime();
  private final Set<URI> seen = new HashSet<>();
  private final Map<URI, Page> pages = new LinkedHashMap<>();
  private final Set<Link> links = new LinkedHashSet<>();
  private final Set<URI> elsewhere = new HashSet<>();
  private boolean complete;

  Crawl(String start, int atOnce, Duration timeout, Words words) {
    this.start = Web.page(URI.create(start));
    this.timeout = timeout;
    this.words = words;
    this.slots = new Semaphore(atOnce, true);
  }

  void run() {
    Heddle.scope(scope -> {
      if (System.console() != null && System.console().isTerminal()) {
        scope.background("progress", this::showProgress);
      }
      links.add(new Link(URI.create("(start)"), start, ""));
      visit(scope, start);
      return null;
    });
    complete = true;
  }

  private void visit(Scope scope, URI url) {
    if (!seen.add(url)) {
      return;
    }
    scope.launch(
        Web.name(url),
        () -> {
          slots.acquire(); // the JDK's semaphore suspends this coroutine, not the thread
          try {
            pages.put(url, fetch(scope, url));
          } finally {
            slots.release();
          }
        });
  }

  private Page fetch(Scope scope, URI url) {
    long sent = System.nanoTime();
    String problem = null;
    Set<String> ids = null;
    try {
      Web.Reply reply = Heddle.withTimeout(timeout, () -> Web.get(url));
      problem = reply.status() < 400 ? null : reply.status() + " " + reply.reason();
      ids = follow(scope, url, reply);
    } catch (DeadlineException _) {
      problem = "no answer within " + timeout.toMillis() + " ms";
    } catch (CoroutineException e) { // carries a checked exception
      problem = e.getCause().getClass().getSimpleName() + ": " + e.getCause().getMessage();
    }
    return new Page(problem, Duration.ofNanos(System.nanoTime() - sent), ids);
  }

  private Set<String> follow(Scope scope, URI url, Web.Reply reply) {
    if (reply.location() != null) {
      link(scope, url, reply.location());
    }
    if (reply.html() == null) {
      return null;
    }
    words.add(reply.html());
    String html = reply.html().replaceAll("(?s)<!--.*?-->", "");
    for (Matcher m = HREF.matcher(html); m.find(); ) {
      link(scope, url, m.group(1).replaceAll("[\"']", "").replace("&amp;", "&").strip());
    }
    return ID.matcher(html).results().map(m -> m.group(1)).collect(Collectors.toSet());
  }

  private void link(Scope scope, URI from, String href) {
    URI to = Web.resolve(from, href);
    URI page = Web.page(to);
    if (page.getScheme().equals("http") && start.getAuthority().equals(page.getAuthority())) {
      links.add(new Link(from, page, Objects.requireNonNullElse(to.getFragment(), "")));
      visit(scope, page);
    } else if (page.getHost() != null) { // mailto: and the like have none
      elsewhere.add(page);
    }
  }

  /// Every broken target with the reason, and the pages that name it.
  Map<String, Set<String>> broken() {
    var found = new TreeMap<String, Set<String>>();
    for (Link link : links) {
      String problem = problem(link, pages.get(link.to()));
      if (problem != null) {
        found.computeIfAbsent(problem, _ -> new TreeSet<>()).add(Web.name(link.from()));
      }
    }
    return found;
  }

  /// @param to null when nobody has looked at it, because of Ctrl-C
  private static String problem(Link link, Page to) {
    if (to == null || to.problem() != null) {
      return to == null ? null : Web.name(link.to()) + "  " + to.problem();
    }
    boolean whole = link.id().isEmpty() || link.id().equals("top") || to.ids() == null;
    return whole || to.ids().contains(link.id())
        ? null
        : Web.name(link.to()) + "#" + link.id() + "  nothing there has this id";
  }

  private void showProgress() {
    try {
      while (true) {
        System.err.printf("\r%d of %d pages, %.0f a second ", pages.size(), seen.size(), rate());
        Heddle.delay(Duration.ofMillis(100));
      }
    } finally {
      System.err.print("\r\033[K");
    }
  }

  private double rate() {
    return pages.size() * 1e9 / (System.nanoTime() - began);
  }

  void report() {
    System.out.printf(
        "%s%d pages, %d links between them, %d to other sites; %.0f pages a second%n",
        complete ? "" : "Interrupted: ", pages.size(), links.size() - 1, elsewhere.size(), rate());
    System.out.println("Slowest pages:");
    pages.entrySet().stream()
        .sorted(Comparator.comparing(page -> page.getValue().took().negated()))
        .limit(3)
        .forEach(page ->
            System.out.printf(
                "%7.1f ms  %s%n", page.getValue().took().toNanos() / 1e6, Web.name(page.getKey())));
    var broken = broken();
    System.out.println(broken.isEmpty() ? "No broken links." : "Broken links: " + broken.size());
    broken.forEach((target, from) ->
        System.out.println("  " + target + "\n      in " + String.join("\n      in ", from)));
  }
}

/// Counts the words of pages on all cores: each page goes to the next of some processes, which has
/// a table of its own.
final class Words implements AutoCloseable {
  private final ProcessRuntime runtime = ProcessRuntime.start();
  private final List<Pid> counters =
      Stream.generate(() -> runtime.spawn(new Counter())).limit(runtime.workers().size()).toList();
  private int next;

  void add(String html) {
    runtime.send(counters.get(next++ % counters.size()), html);
  }

  /// A request stands behind all pages in the mailbox: the answer has them all.
  void report() throws InterruptedException {
    var all = new TreeMap<String, Integer>();
    for (Pid counter : counters) {
      Map<String, Integer> some = runtime.ask(counter, "your table", Duration.ofMinutes(1));
      some.forEach((word, count) -> all.merge(word, count, Integer::sum));
    }
    System.out.println("Words used most:");
    all.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(5)
        .forEach(word -> System.out.printf("%7d  %s%n", word.getValue(), word.getKey()));
  }

  @Override
  public void close() {
    runtime.close();
  }

  /// No lock: a process takes one step at a time.
  private static final class Counter implements Process {
    private static final Pattern NO_TEXT =
        Pattern.compile("(?is)<!--.*?-->|<(script|style)\\b.*?</\\1>|<[^>]*>|&\\w+;");
    private static final Pattern WORD =
        Pattern.compile("\\p{L}{5,}"); // shorter ones are of no subject

    private final Map<String, Integer> table = new HashMap<>();

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request request) {
          request.reply().complete(Map.copyOf(table));
        } else {
          count((String) event.data());
        }
      }
    }

    private void count(String html) {
      WORD.matcher(NO_TEXT.matcher(html).replaceAll(" "))
          .results()
          .forEach(word -> table.merge(word.group().toLowerCase(Locale.ROOT), 1, Integer::sum));
    }
  }
}

/// What a crawler needs of URLs and of HTTP.
final class Web {
  /// An answer; `location` is null without a redirect, `html` when it is something else.
  record Reply(int status, String reason, String location, String html) {}

  private Web() {}

  /// A URL without its `#id`, written in one way.
  static URI page(URI url) {
    if (url.getHost() == null) {
      return url;
    }
    String host = url.getHost().toLowerCase(Locale.ROOT);
    String port = url.getPort() < 0 || url.getPort() == 80 ? "" : ":" + url.getPort();
    return URI.create(url.getScheme() + "://" + host + port + target(url));
  }

  private static String target(URI url) {
    String path = url.getRawPath().replaceFirst("^(/[.][.])+(?=/|$)", "");
    return (path.isEmpty() ? "/" : path)
        + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery());
  }

  /// How reports call a page.
  static String name(URI url) {
    return url.getPath() + (url.getQuery() == null ? "" : "?" + url.getQuery());
  }

  static URI resolve(URI from, String href) {
    String legal = encode(href, "[^!-~]|[\"<>\\\\^`{|}]|%(?![0-9a-fA-F]{2})");
    try {
      boolean samePage = legal.isEmpty() || legal.startsWith("?");
      return from.resolve(samePage ? from.getRawPath() + legal : legal).normalize();
    } catch (IllegalArgumentException _) {
      return from.resolve(encode(href, "[^A-Za-z0-9]")); // the server will say that it has no such
    }
  }

  private static String encode(String text, String illegal) {
    return Pattern.compile(illegal)
        .matcher(text)
        .replaceAll(m -> URLEncoder.encode(m.group(), UTF_8).replace("+", "%20"));
  }

  static Reply get(URI url) throws IOException {
    int port = url.getPort() < 0 ? 80 : url.getPort();
    try (var wire = new FileServer.Wire(Tcp.connect(url.getHost(), port))) {
      wire.write(
          "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
              .formatted(target(url), url.getAuthority()));
      String[] status = (wire.line() + " ").split(" ", 3);
      if (!status[0].startsWith("HTTP/1.")) {
        throw new ProtocolException("not an HTTP answer");
      }
      var headers = wire.headers();
      boolean html = headers.getOrDefault("Content-Type", "").startsWith("text/html");
      return new Reply(
          FileServer.Wire.number(status[1], 10),
          status[2].strip(),
          headers.get("Location"),
          html ? wire.body(headers) : null);
    }
  }
}
