// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.FileTransfer;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/// A transfer of a part of a file by `sendfile(2)`.
///
/// Both descriptors are duplicates, so a handle that is closed meanwhile does not affect the
/// transfer. The socket is non-blocking, but reading the file may block: hence a worker thread.
final class SendfileTransfer implements FileTransfer {
  /*
   * States.  from      event     to        who
   *          READY     send()    SENDING   a worker thread: CAS
   *          SENDING   it ends   CLOSED    that thread: closes both
   *          READY     close()   CLOSED    any: CAS; closes both, and send() finds nothing to do
   *          SENDING,  close()   same
   *          CLOSED
   */
  private enum State {
    READY,
    SENDING,
    CLOSED
  }

  private final int socket;
  private final int file;
  private final long position;
  private final long count;
  private final AtomicReference<State> state = new AtomicReference<>(State.READY);

  SendfileTransfer(int socket, int file, long position, long count) throws IOException {
    this.socket = DescriptorCalls.duplicate(socket);
    try {
      this.file = DescriptorCalls.duplicate(file);
    } catch (IOException e) {
      DescriptorCalls.close(this.socket);
      throw e;
    }
    this.position = position;
    this.count = count;
  }

  @Override
  public long send() throws IOException {
    if (!state.compareAndSet(State.READY, State.SENDING)) {
      return 0;
    }
    try {
      return DescriptorCalls.sendFile(socket, file, position, count);
    } finally {
      closeBoth();
    }
  }

  @Override
  public void close() {
    if (state.compareAndSet(State.READY, State.CLOSED)) {
      closeBoth();
    }
  }

  private void closeBoth() {
    DescriptorCalls.close(socket);
    DescriptorCalls.close(file);
    state.set(State.CLOSED);
  }
}
