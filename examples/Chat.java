// SPDX-License-Identifier: Apache-2.0

import module java.base;

import dev.heddle.Heddle;
import dev.heddle.event.Trigger;
import dev.heddle.io.Server;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import org.jspecify.annotations.Nullable;

/// A chat for any number of people with `nc 127.0.0.1 PORT`, and for the operator, who types here.
///
/// Nobody waits for somebody who reads slowly: a line that finds a guest's queue full is dropped,
/// and the guest is told how many were. No locks: all guests are coroutines of one loop.
final class Chat {
  private static final int PENDING = 100; // lines that wait for one guest
  private static final Duration PATIENCE = Duration.ofMinutes(1); // for a name; for a last word
  private static final String OPERATOR = "operator";

  private final Map<String, Guest> guests = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  static void main(String[] args) throws IOException {
    String port = args.length == 0 ? "0" : args[0]; // 0: the system chooses
    if (args.length > 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
      System.err.println("usage: ./heddle run examples/Chat.java [PORT]");
      Heddle.exit(2);
    }
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    var chat = new Chat();
    try (Server server = Tcp.serve(address, chat::welcome)) {
      System.out.println("Chat on " + server.address() + "; /who, /quit");
      chat.operate();
      server.join();
    }
  }

  /// What is typed here, until there is no more; without a terminal the chat goes on.
  private void operate() throws IOException {
    var input = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    // another thread reads: waiting for a terminal would hold the loop
    for (String line = next(input); line != null; line = next(input)) {
      if (line.equals("/quit")) {
        tell("* the chat closes");
        Heddle.exit(0);
      } else if (line.equals("/who")) {
        System.out.println(who());
      } else if (!line.isBlank()) {
        tell(OPERATOR + ": " + line);
      }
    }
  }

  private static @Nullable String next(BufferedReader input) {
    return Heddle.<@Nullable String>offload(input::readLine);
  }

  private void tell(String line) {
    System.out.println(line);
    guests.values().forEach(guest -> guest.offer(line));
  }

  private String who() {
    return "* " + guests.size() + " here: " + String.join(", ", guests.keySet());
  }

  private void welcome(StreamSocket socket) {
    try {
      String name = Heddle.withTimeout(PATIENCE, () -> askName(socket));
      if (name != null) {
        attend(new Guest(name, socket));
      }
    } catch (Exception _) {
      // it hung up, or never said its name: nobody has met it
    }
  }

  private @Nullable String askName(StreamSocket socket) throws IOException {
    write(socket, "Your name?");
    for (String name = socket.readLine(); name != null; name = socket.readLine()) {
      if (!name.matches("[\\p{L}\\d_-]{1,20}")) {
        write(socket, "Letters, digits, - and _, at most 20. Your name?");
      } else if (guests.containsKey(name) || name.equalsIgnoreCase(OPERATOR)) {
        write(socket, name + " is taken. Your name?");
      } else {
        return name;
      }
    }
    return null;
  }

  private static void write(StreamSocket socket, String line) throws IOException {
    socket.write(StandardCharsets.UTF_8.encode(line + "\n"));
  }

  /// From joining to leaving. Between the look for the name and its entry nobody else runs.
  private void attend(Guest guest) {
    guests.put(guest.name, guest);
    tell("* " + guest.name + " has joined, " + guests.size() + " here");
    String why = "was cut off";
    try {
      why =
          Heddle.scope(scope -> {
            scope.background("writer of " + guest.name, guest::write);
            return listen(guest);
          });
    } catch (Exception e) {
      why = "is gone"; // whether its reads or its writes found out
    } finally {
      guests.remove(guest.name);
      tell("* " + guest.name + " " + why);
    }
  }

  private String listen(Guest guest) throws IOException {
    for (String line = guest.socket.readLine(); line != null; line = guest.socket.readLine()) {
      switch (line.strip()) {
        case "" -> {}
        case "/quit" -> {
          return "has left";
        }
        case "/who" -> guest.offer(who());
        default -> tell(guest.name + ": " + line.strip());
      }
    }
    return "has left";
  }

  /// Somebody who is connected, and the lines on their way to it.
  private static final class Guest {
    private final String name;
    private final StreamSocket socket;
    private final Queue<String> pending = new ArrayDeque<>();
    private final Trigger more;
    private int dropped;

    Guest(String name, StreamSocket socket) {
      this.name = name;
      this.socket = socket;
      more = Heddle.trigger("lines for " + name);
    }

    /// Queues a line, or drops it; never waits.
    void offer(String line) {
      if (pending.size() < PENDING) {
        pending.add(line);
      } else {
        dropped++;
      }
      more.fire();
    }

    /// Writes what is queued, for as long as the guest is there.
    void write() throws IOException {
      while (true) {
        for (String line = pending.poll(); line != null; line = pending.poll()) {
          Chat.write(socket, line);
        }
        if (dropped > 0) {
          int lost = dropped;
          dropped = 0;
          Chat.write(socket, "* you read too slowly: " + lost + " lines were dropped");
        }
        Heddle.await(more);
      }
    }
  }
}
