// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// A connection to another node: TCP, TLS 1.3 where there are certificates, and a greeting.
///
/// A connection is handed to JGroups only when both sides know that it leads to a node that they
/// may talk to. Without the greeting a client of TLS 1.3 learns that its certificate was refused
/// only with a later read, and a node with TLS and one without would see broken packets.
///
/// **Thread** the one that connects or accepts, until it is handed over.
final class NodeSocket extends Socket {
  /*
   * The protocol. The side that connects writes GREETING, the side that accepts reads it and writes
   * GREETING. With certificates both travel inside TLS. A node without TLS that reads something
   * else writes its GREETING all the same before it closes, because that is what tells a client
   * with TLS that this side has none.
   *
   * Closing. Only the TCP connection is closed, never TLS: a close_notify waits for the lock of a
   * writer, and that writer may wait for a node that is stopped. Nothing here takes the end of a
   * stream for the end of a message, so a connection cut short by another hides nothing.
   */
  static final byte[] GREETING = "HEDDLE\1\n".getBytes(StandardCharsets.ISO_8859_1);
  private static final int ALERT = 0x15; // the first byte of an alert of TLS
  private static final int HANDSHAKE = 0x16; // the first byte of TLS from a client
  private static final int DRAINED = 64 * 1024; // bytes read from a refused client, at most
  private static final int RECORDS = 32 * 1024; // bytes of TLS read at a time: two of its records

  private final @Nullable SSLContext context;
  private final int timeoutMillis;
  private final Refusals refusals;

  // set once, before the socket is handed over
  private @Nullable InputStream records; // of TLS, as they come
  private @Nullable SSLSocket tls;

  NodeSocket(@Nullable SSLContext context, int timeoutMillis, Refusals refusals) {
    this.context = context;
    this.timeoutMillis = timeoutMillis;
    this.refusals = refusals;
  }

  /// Connects and greets.
  @Override
  public void connect(SocketAddress to, int timeout) throws IOException {
    super.connect(to, timeout);
    try {
      setSoTimeout(timeoutMillis);
      greet();
      setSoTimeout(0);
      refusals.connected((InetSocketAddress) to);
    } catch (IOException e) {
      close();
      IOException why = e instanceof SSLException ssl ? explain(ssl) : e;
      refusals.notConnected((InetSocketAddress) to, why);
      throw why;
    }
  }

  private void greet() throws IOException {
    if (context != null) {
      startTls(context, Side.CONNECTING);
    }
    getOutputStream().write(GREETING);
    byte[] answer = getInputStream().readNBytes(GREETING.length);
    if (!Arrays.equals(answer, GREETING)) {
      throw refusal(answer, Side.CONNECTING);
    }
  }

  /// Reads the greeting of the node that has connected, and answers.
  void welcome() throws IOException {
    setSoTimeout(timeoutMillis);
    setTcpNoDelay(true);
    try {
      if (context != null) {
        startTls(context, Side.ACCEPTING);
      }
      byte[] greeting = getInputStream().readNBytes(GREETING.length);
      if (!Arrays.equals(greeting, GREETING)) {
        answerAndDrain();
        throw refusal(greeting, Side.ACCEPTING);
      }
      getOutputStream().write(GREETING);
      setSoTimeout(0);
    } catch (SSLException e) {
      throw explain(e);
    }
  }

  private enum Side {
    CONNECTING,
    ACCEPTING
  }

  private void startTls(SSLContext with, Side side) throws IOException {
    InetAddress peer = getInetAddress();
    // the JDK reads a record by two calls, its header first: both are one of the system this way
    records = new BufferedInputStream(super.getInputStream(), RECORDS);
    var layered =
        (SSLSocket)
            with.getSocketFactory().createSocket(this, peer.getHostAddress(), getPort(), true);
    layered.setUseClientMode(side == Side.CONNECTING);
    layered.setEnabledProtocols(new String[] {"TLSv1.3"});
    if (side == Side.ACCEPTING) {
      layered.setNeedClientAuth(true); // last: a change of mode resets it
    }
    layered.startHandshake();
    tls = layered;
  }

  /// A close with unread bytes resets the connection, and the answer would be lost with it.
  private void answerAndDrain() throws IOException {
    getOutputStream().write(GREETING);
    if (tls == null) {
      shutdownOutput();
      InputStream in = getInputStream();
      byte[] buffer = new byte[1024];
      for (int read = 0, n; read < DRAINED && (n = in.read(buffer)) >= 0; ) {
        read += n;
      }
    }
  }

  private static IOException refusal(byte[] got, Side side) {
    if (got.length == 0) {
      return new EOFException("it closed the connection before it greeted");
    }
    if (side == Side.ACCEPTING && got[0] == HANDSHAKE) {
      return new RefusedException(
          "it speaks TLS, this node does not; give this node certificates(...) too", null);
    }
    if (side == Side.CONNECTING && got[0] == ALERT) {
      return new RefusedException(
          "it wants TLS, this node speaks none; give this node certificates(...) too", null);
    }
    return new RefusedException("it does not greet as a node does; another program?", null);
  }

  private static IOException explain(SSLException e) {
    Throwable cause = e.getCause();
    if (cause instanceof EOFException || cause instanceof SocketException) {
      return new IOException("the connection was closed during the TLS handshake", e);
    }
    String said = String.valueOf(e.getMessage());
    if (said.contains("unrecognized SSL message")) {
      return new RefusedException(
          "it speaks no TLS, this node does; give it certificates(...) of the same authority", e);
    }
    String which = "";
    if (said.contains("Received fatal alert")) { // the node that has sent it logs the names
      which = "that of this node is refused: ";
    } else if (said.contains("Empty client certificate chain")) { // a client sends only what fits
      which = "it has none of an authority that this node trusts: ";
    }
    return new RefusedException(
        "certificates do not fit (%s%s); take those of one ./heddle cluster certs"
            .formatted(which, said),
        e);
  }

  /// The two nodes cannot talk until somebody changes the configuration of one.
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String why, @Nullable Throwable cause) {
      super(why, cause);
    }
  }

  @Override
  public InputStream getInputStream() throws IOException {
    if (tls != null) {
      return tls.getInputStream();
    }
    return records == null ? super.getInputStream() : records; // which the layer asks for
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    SSLSocket layered = tls;
    return layered == null ? super.getOutputStream() : layered.getOutputStream();
  }
}
