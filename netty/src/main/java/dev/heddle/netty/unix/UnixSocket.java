// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.FileTransfer;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.reactor.driver.SocketDescriptor;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.NotYetConnectedException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A stream socket, TCP or UNIX.
final class UnixSocket extends UnixStream implements SocketDescriptor, Lingering.Member {
  private static final int SO_PEERCRED = 17; // Linux only
  private static final int UCRED_BYTES = 12; // struct ucred: process, user, group

  private final NativeSocket socket;

  private boolean connected;
  private boolean resets; // closing resets the connection (SO_LINGER 0)
  private int linger = -1; // value of SO_LINGER when it began to linger
  private @Nullable SocketAddress remote;
  private @Nullable PendingSend pendingSend; // null: no send was ever batched
  private boolean lingering; // closed, with unsent bytes
  private boolean outputEnds; // output is shut down, at once or after the pending bytes
  private boolean outputHasEnded;
  private boolean broken; // a call has failed: later calls report the error themselves
  private int left = SocketCalls.UNKNOWN; // bytes that remained after the last receive

  UnixSocket(DescriptorRegistry registry, NativeSocket socket) {
    this(registry, socket, false);
  }

  UnixSocket(DescriptorRegistry registry, NativeSocket socket, boolean connected) {
    super(registry, socket);
    this.socket = socket;
    this.connected = connected;
  }

  @Override
  int receive(ByteBuffer direct, int from, int to) throws IOException {
    // Netty would get the address through JNI each time
    long address = MemorySegment.ofBuffer(direct).address() - direct.position();
    int n;
    try {
      n = receive(address, from, to);
    } finally {
      Reference.reachabilityFence(direct);
    }
    if (n < 0 && pendingSend != null) {
      pendingSend.throwDeferredFailure();
    }
    return n;
  }

  private int receive(long address, int from, int to) throws IOException {
    SocketCalls calls = registry().calls;
    if (calls == null || to - from > SocketCalls.LARGEST) {
      left = SocketCalls.UNKNOWN;
      return socket.recvAddress(address, from, to);
    }
    if (socket.isUnix() || registry().reportsUrgentData) {
      return calls.receive(socket.intValue(), address + from, to - from);
    }
    int n = calls.receiveAndAsk(socket.intValue(), address + from, to - from);
    left = calls.left();
    return n;
  }

  /// A read also stops between bytes that were sent with descriptors or by different processes, and
  /// before an urgent byte.
  @Override
  boolean mayHaveMore(boolean all) {
    if (socket.isUnix()) {
      return true; // unknown: the next read finds out
    }
    return registry().reportsUrgentData ? all || isUrgent() : left != 0;
  }

  @Override
  int send(ByteBuffer direct, int from, int to) throws IOException {
    try {
      return socket.send(direct, from, to);
    } catch (IOException e) {
      broken = true;
      throw e;
    }
  }

  // ---- batched sends ----

  @Override
  boolean tryAppend(ByteBuffer from) {
    SendBatch sendBatch = registry().sendBatch;
    if (sendBatch == null || outputEnds || broken || isHungUp()) {
      return false;
    }
    if (!(registration() instanceof SendingRegistration sender)) {
      return false;
    }
    if (socket.isUnix()) {
      return false; // no reset on UNIX sockets: the peer could not learn of dropped bytes
    }
    PendingSend o = pendingSend;
    if (o == null) {
      o = new PendingSend(sendBatch, socket, registry()::stage);
      pendingSend = o;
    }
    return o.tryAppend(from, sender);
  }

  @Override
  boolean flushPending() throws IOException {
    if (pendingSend == null) {
      return true;
    }
    boolean clear;
    try {
      clear = pendingSend.flush();
    } catch (IOException e) {
      broken = true;
      throw e;
    }
    if (clear) {
      endOutputIfDue();
    }
    return clear;
  }

  @Override
  public void sent(int result) {
    PendingSend o = pendingSend;
    if (o == null) {
      throw new IllegalStateException("no send is pending for " + socket);
    }
    boolean clear = o.sent(result);
    broken |= o.hasFailed();
    if (clear) {
      cleared();
      onReady(OUT);
    } else {
      afterCall(OUT, false);
    }
  }

  @Override
  boolean resumeWrites() {
    PendingSend o = pendingSend;
    if (o == null) {
      return true;
    }
    boolean clear = o.resume();
    broken |= o.hasFailed();
    if (clear) {
      cleared();
    }
    return clear;
  }

  private void cleared() {
    if (!lingering) {
      endOutputIfDue();
    } else if (broken || pendingSend == null || pendingSend.hasFailed()) {
      abandon();
    } else {
      endLinger();
    }
  }

  private void endOutputIfDue() {
    if (outputEnds && !outputHasEnded) {
      outputHasEnded = true;
      try {
        socket.shutdown(false, true);
      } catch (IOException | NotYetConnectedException _) {
        // safe: the connection failed meanwhile; the next read or write reports it
      }
    }
  }

  @Override
  public void failed(IOException why) {
    if (pendingSend != null) {
      pendingSend.fail(why);
      if (pendingSend.hasFailed()) {
        broken = true; // submitted sends may still complete
        beginToReset();
      }
    }
    super.failed(why);
    if (lingering) {
      abandon();
    }
  }

  // ---- closing with unsent bytes ----

  /// With a reset, nothing more is sent.
  @Override
  boolean isOver() {
    try {
      return flushPending() || resets;
    } catch (IOException _) {
      beginToReset();
      return true; // bytes that cannot be sent are lost, as in a socket's buffer
    }
  }

  @Override
  void linger() {
    try {
      linger = socket.getSoLinger();
      socket.setSoLinger(0); // reset if the JVM ends before the rest is sent
    } catch (IOException _) {
      // safe: the connection failed meanwhile; sending reports it
    }
    lingering = true;
    registry().lingering.add(this);
    beginClose();
  }

  private void endLinger() {
    setLinger(linger);
    stopLingering();
  }

  private void stopLingering() {
    lingering = false;
    registry().lingering.remove(this);
    endClose();
    over();
  }

  @Override
  public void abandon() {
    if (pendingSend != null) {
      pendingSend.forget();
    }
    beginToReset();
    stopLingering();
  }

  private void beginToReset() {
    resets = true;
    setLinger(0);
  }

  private void setLinger(int seconds) {
    try {
      socket.setSoLinger(seconds);
    } catch (IOException _) {
      // safe: the connection failed meanwhile; the peer cannot be notified
    }
  }

  @Override
  public Lingering.UnsentTail rest(long until) {
    lingering = false;
    outputHasEnded = true; // after the unsent bytes
    PendingSend o = pendingSend;
    ByteBuffer unsent = o == null ? ByteBuffer.allocateDirect(0) : o.takeUnsent();
    return new Lingering.UnsentTail(socket, unsent, linger, until);
  }

  // ---- the socket ----

  @Override
  public void bind(SocketAddress address) throws IOException {
    requireOpen();
    socket.bindTo(address); // TCP only: a UNIX socket is not bound before connecting
  }

  @Override
  public boolean connect(SocketAddress address) throws IOException {
    requireOpen();
    try {
      connected = socket.connect(socket.netty(address));
    } catch (IOException e) {
      throw Failures.of(e);
    }
    remote = address;
    return connected;
  }

  @Override
  public boolean finishConnect() throws IOException {
    requireOpen();
    try {
      connected = connected || socket.finishConnect();
      afterCall(OUT, connected);
    } catch (IOException e) {
      throw Failures.of(e);
    }
    return connected;
  }

  @Override
  public void shutdownInput() throws IOException {
    shutdown(true, false);
  }

  @Override
  public void shutdownOutput() throws IOException {
    requireOpen();
    try {
      if (!flushPending()) {
        outputEnds = true;
        return;
      }
    } catch (IOException e) {
      throw Failures.of(e);
    }
    shutdown(false, true);
    outputEnds = true;
    outputHasEnded = true;
  }

  private void shutdown(boolean input, boolean output) throws IOException {
    requireOpen();
    try {
      socket.shutdown(input, output);
    } catch (NotYetConnectedException e) {
      if (!connected) {
        throw e;
      }
      // safe: the connection failed meanwhile; the next read or write reports it
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  /// Not if the peer is to see a reset: by option, or because of unread input.
  @Override
  void hangUp() {
    if (connected && !resets && !mayHaveInput()) {
      socket.shutdownBoth();
    }
  }

  // ---- files ----

  @Override
  public boolean supportsSendfile() {
    return DescriptorCalls.areThere();
  }

  @Override
  public @Nullable FileTransfer prepareFileTransfer(OpenFile file, long position, long count)
      throws IOException {
    requireOpen();
    try {
      boolean isClear = flushPending();
      // before the call: an edge during the call must not be lost
      afterCall(OUT, false);
      return isClear ? new SendfileTransfer(socket.intValue(), file.fd(), position, count) : null;
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  // ---- passed descriptors, peer credentials ----

  @Override
  public int[] peerCredentials() throws IOException {
    requireOpen();
    ByteBuffer credentials = ByteBuffer.allocateDirect(UCRED_BYTES).order(ByteOrder.nativeOrder());
    try {
      socket.getRawOpt(PlatformConstants.SOL_SOCKET, SO_PEERCRED, credentials);
    } catch (IOException e) {
      throw Failures.of(e);
    }
    return new int[] {credentials.getInt(0), credentials.getInt(4), credentials.getInt(8)};
  }

  @Override
  public int send(ByteBuffer from, int[] numbers) throws IOException {
    requireOpen();
    Buffers.requireAlive(from);
    ByteBuffer direct = from.isDirect() ? from : registry().stage();
    int start = from.isDirect() ? from.position() : 0;
    int size = from.isDirect() ? from.remaining() : Math.min(from.remaining(), direct.capacity());
    if (!from.isDirect()) {
      direct.put(0, from, from.position(), size);
    }
    try {
      int n = DescriptorCalls.send(socket.intValue(), direct, start, start + size, numbers);
      from.position(from.position() + n);
      afterCall(OUT, n == size);
      return n;
    } catch (IOException e) {
      broken = true;
      throw Failures.of(e);
    }
  }

  @Override
  public int receive(ByteBuffer into, int most, List<Descriptor> received) throws IOException {
    requireOpen();
    Buffers.requireWritable(into);
    ByteBuffer direct = into.isDirect() ? into : registry().stage();
    int start = into.isDirect() ? into.position() : 0;
    int end = into.isDirect() ? into.limit() : Math.min(into.remaining(), direct.capacity());
    DescriptorCalls.Received come;
    try {
      come = DescriptorCalls.receive(socket.intValue(), direct, start, end, most);
    } catch (IOException e) {
      throw Failures.of(e);
    }
    for (int number : come.numbers()) {
      received.add(new UnixDescriptor(registry(), new FileDescriptor(number)));
    }
    int n = come.bytes();
    if (n <= 0) {
      readDrained();
      return n;
    }
    afterCall(IN, true); // there may be more
    if (!into.isDirect()) {
      into.put(into.position(), direct, 0, n);
    }
    into.position(into.position() + n);
    if (come.isCut()) {
      received.forEach(Descriptor::close);
      received.clear();
      throw new IOException(
          "more than %d descriptors came at once, or this process cannot open more; all were closed"
              .formatted(most));
    }
    return n;
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return isClosed() ? null : socket.local();
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    if (!connected || isClosed()) {
      return null;
    }
    if (remote == null) {
      remote = socket.remote();
    }
    return remote;
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    requireOpen();
    options().set(socket, option, value);
    if (option == StandardSocketOptions.SO_LINGER) {
      resets = value.equals(0);
    }
  }

  @Override
  public <T> T getOption(SocketOption<T> option) throws IOException {
    requireOpen();
    return options().get(socket, option);
  }

  private NativeOptions options() {
    return socket.isUnix() ? NativeOptions.OF_PATHS : NativeOptions.OF_STREAMS;
  }
}
