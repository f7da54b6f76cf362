// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.test.net.NetworkEvent.Kind;
import dev.heddle.test.net.memory.Flow.Medium;
import dev.heddle.test.net.memory.MemoryLink.Packet;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One end of a stream, with its errors as Linux and the JDK have them.
///
/// **Thread** that of the loop whose turn it is.
final class StreamEnd {
  /*
   * States.
   *   from        event                                  to          who
   *   -           new StreamEnd                          CONNECTING  the socket, or the listener's
   *                                                                  host
   *   CONNECTING  connected(), established()             OPEN        Handshake, Flow
   *   CONNECTING  refused()                              FAILED      Handshake
   *   OPEN        reset(), timeOut()                     FAILED      Flow, the other end
   *   any         close()                                CLOSED      its owner
   *   any         vanish(): the host has crashed         CLOSED      the host
   *
   * A closed end sends what was written before, and its end. If the owner had not read everything,
   * the peer gets a reset instead, as with Linux. What arrives afterwards is answered by a reset.
   *
   * An end that vanished sends nothing: its peer hears nothing until the host is up again.
   */
  private final Traffic traffic;
  private final Site site;
  private final SocketAddress local;
  private final SocketAddress remote;
  private final Runnable whenClosed;
  private @Nullable Acceptance listener; // until it was accepted

  private @Nullable Flow out;
  private @Nullable Flow in;
  private Runnable onChange = () -> {};
  private int sendBuffer = 64 << 10; // bytes
  private int receiveBuffer = 128 << 10; // bytes

  private boolean connected;
  private boolean closed;
  private boolean outputShut;
  private boolean inputShut;
  private boolean vanished;
  private @Nullable IOException failure;
  private boolean brokenPipe; // the failure was told, or the peer had ended before

  /// What becomes of a connection that a listener has been asked for.
  interface Acceptance {
    /// It is there.
    void established(StreamEnd server);

    /// It has failed.
    void abandoned();
  }

  /// @param owner what its host knows it by; told when it is closed
  StreamEnd(
      Traffic traffic,
      Site site,
      SocketAddress local,
      SocketAddress remote,
      Consumer<StreamEnd> owner) {
    this.traffic = traffic;
    this.site = site;
    this.whenClosed = () -> owner.accept(this);
    this.local = local;
    this.remote = remote;
  }

  /// Joins two ends.
  static void join(StreamEnd client, StreamEnd server, Medium medium) {
    Flow there = new Flow(client.traffic, client, server, medium);
    Flow back = new Flow(client.traffic, server, client, medium);
    client.out = there;
    server.in = there;
    server.out = back;
    client.in = back;
  }

  Site site() {
    return site;
  }

  SocketAddress local() {
    return local;
  }

  SocketAddress remote() {
    return remote;
  }

  String name() {
    return site.name() + local;
  }

  void ofListener(Acceptance accepting) {
    listener = accepting;
  }

  /// Who is told when something can be read or written, or has failed.
  void onChange(Runnable notify) {
    onChange = notify;
  }

  void changed() {
    onChange.run();
  }

  int sendBuffer() {
    return sendBuffer;
  }

  int receiveBuffer() {
    return receiveBuffer;
  }

  void setBuffers(int send, int receive) {
    sendBuffer = send;
    receiveBuffer = receive;
  }

  // ---- connecting ----

  void connected() {
    connected = true;
    flow(out).handshakeDone();
    changed();
  }

  /// The server's end of a connection that the client knows of.
  void established() {
    connected = true;
    Acceptance by = listener;
    if (by != null) {
      by.established(this);
    }
  }

  void connectedDirectly() {
    connected = true;
  }

  void refused(IOException why) {
    if (!connected && !closed) {
      failure = why;
      changed();
    }
  }

  boolean isConnected() {
    return connected;
  }

  /// Whether the connection is there.
  ///
  /// @throws IOException when it was refused
  boolean finishConnect() throws IOException {
    IOException refusal = failure;
    if (!connected && refusal != null) {
      throw refusal;
    }
    return connected;
  }

  // ---- failures ----

  /// A reset has arrived.
  void reset() {
    if (closed || failure != null) {
      return;
    }
    Acceptance by = listener;
    if (by != null && !connected) {
      by.abandoned();
      close();
      return;
    }
    traffic.report(Kind.RESET, name(), name());
    brokenPipe = in != null && in.hasEnded();
    fail(new SocketException("Connection reset"));
  }

  void timeOut() {
    if (!closed && failure == null) {
      fail(new IOException("Connection timed out"));
    }
  }

  private void fail(IOException why) {
    failure = why;
    if (out != null) {
      out.cut();
    }
    changed();
  }

  /// Tells the peer that the connection is no more; not ordered with what was sent.
  void sendReset() {
    Flow to = out;
    if (to != null) {
      StreamEnd peer = peer();
      site.linkTo(peer.site).send(new Packet(0, peer::reset, () -> {}));
    }
  }

  private StreamEnd peer() {
    return flow(out).receiver();
  }

  /// Whether its host is down, so that no packet is answered.
  boolean isUnreachable() {
    return !site.isUp();
  }

  /// Whether its host has crashed.
  boolean hasVanished() {
    return vanished;
  }

  /// Whether nobody uses it any more.
  boolean isGone() {
    return closed || vanished;
  }

  // ---- reading and writing ----

  boolean isReadable() {
    return closed
        || failure != null
        || inputShut
        || (in != null && (in.available() > 0 || in.hasEnded()));
  }

  boolean isWritable() {
    if (closed || failure != null || outputShut) {
      return true;
    }
    return connected && (flow(out).room() > 0 || isPeerGoneDirectly());
  }

  int read(ByteBuffer into) throws IOException {
    Flow from = flow(in);
    if (inputShut || !into.hasRemaining()) {
      return inputShut ? -1 : 0;
    }
    int n = Math.min(from.available(), into.remaining());
    if (n > 0) {
      n = part(Chance.Concern.SHORT_READ, traffic.faults().shortRead(), n);
      from.read(into, n);
      return n;
    }
    if (from.hasEnded()) {
      return -1;
    }
    IOException why = failure;
    if (why != null) {
      throw again(why);
    }
    return 0;
  }

  int write(ByteBuffer from) throws IOException {
    if (outputShut) {
      throw new ClosedChannelException();
    }
    requireUnbroken();
    Flow to = flow(out);
    int n = Math.min(to.room(), from.remaining());
    if (n > 0) {
      n = part(Chance.Concern.SHORT_WRITE, traffic.faults().shortWrite(), n);
      to.write(from, n);
    }
    return n;
  }

  private void requireUnbroken() throws IOException {
    IOException why = failure;
    if (why == null && !isPeerGoneDirectly()) {
      return;
    }
    boolean first = why instanceof SocketException && !brokenPipe && !flow(out).isDirect();
    brokenPipe = true;
    if (why != null && !(why instanceof SocketException)) {
      throw again(why);
    }
    throw new IOException(first ? "Connection reset by peer" : "Broken pipe");
  }

  // each with the caller's own stack trace
  private static IOException again(IOException why) {
    return why instanceof SocketException
        ? new SocketException(why.getMessage())
        : new IOException(why.getMessage());
  }

  private boolean isPeerGoneDirectly() {
    return out != null && out.isDirect() && peer().isGone();
  }

  // within one host, too: a program must live with it wherever its bytes come from
  private int part(Chance.Concern concern, double probability, int whole) {
    boolean shorter = traffic.chance().happens(concern, probability);
    return shorter ? (int) traffic.chance().between(concern, 1, whole) : whole;
  }

  boolean isDrained() {
    return available() == 0;
  }

  int available() {
    return in == null ? 0 : in.available();
  }

  // ---- the end ----

  void shutdownOutput() {
    if (!outputShut) {
      outputShut = true;
      if (failure == null) {
        flow(out).end();
      }
      changed();
    }
  }

  void shutdownInput() {
    inputShut = true;
    changed();
  }

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    whenClosed.run();
    if (failure != null || out == null || in == null) {
      return;
    }
    if (in.available() > 0) {
      out.cut();
      sendReset();
    } else if (!outputShut) {
      outputShut = true;
      out.end();
    }
    if (out.isDirect()) {
      peer().changed();
    }
  }

  /// Closes it with a reset, and drops what was not sent.
  void abort() {
    if (!closed) {
      closed = true;
      whenClosed.run();
      if (out != null) {
        out.cut();
      }
      sendReset();
    }
  }

  /// Its host has crashed.
  void vanish() {
    vanished = true;
    closed = true;
    if (out != null) {
      out.cut();
    }
  }

  private static Flow flow(@Nullable Flow flow) {
    if (flow == null) {
      throw new NotYetConnectedException();
    }
    return flow;
  }
}
