// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

import dev.heddle.reactor.driver.FileTransfer;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/// A piece of a file, on its way by `sendfile(2)`.
///
/// Both numbers are duplicates: whoever closes a handle meanwhile gives back a number that this
/// piece does not use, and no other file or connection gets into its way. The socket does not wait,
/// the file may: hence a thread beside the loop.
final class SendfileTransfer implements FileTransfer {
  /*
   * States.  from      event     to        who
   *          READY     send()    SENDING   a thread beside the loop: CAS
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
