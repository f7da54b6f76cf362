// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.reactor.driver.FileOperation;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// An operation on its way through the ring, and what the kernel reads and writes besides its
/// buffer.
final class RingOperation {
  static final short NO_SLOT = -1;

  /// Of `statx`: the size and the type.
  static final int WANTED = 0x201; // STATX_SIZE | STATX_TYPE

  /// Of `statx`: an empty name stands for the number.
  static final int OF_THE_NUMBER = 0x1000; // AT_EMPTY_PATH

  private static final int STATUS = 8; // where it begins in the scratch; before it the empty name
  private static final int STATUS_BYTES = 256; // of struct statx
  private static final int STATUS_MODE = 28;
  private static final int STATUS_SIZE = 40;
  private static final int TYPE = 0xF000;
  private static final int BLOCK_DEVICE = 0x6000;

  final FileOperation operation;
  final int flags; // of an opening
  short slot = NO_SLOT;
  long name; // as the ring knows it
  boolean isBlocking; // a worker of the kernel's is to do it
  boolean isKnownToBeLonger;
  @Nullable IOException failure; // written by the thread that closes its channels
  private @Nullable ByteBuffer scratch;

  RingOperation(FileOperation operation) {
    this.operation = operation;
    this.flags =
        operation.kind() == FileOperation.Kind.OPEN ? OpenFlags.of(operation.options()) : 0;
  }

  /// The file; null: it is to be opened.
  @Nullable RingFile file() {
    return operation.kind() == FileOperation.Kind.OPEN ? null : (RingFile) operation.file();
  }

  int fd() {
    return ((RingFile) operation.file()).rawFd();
  }

  long address() {
    return MemorySegment.ofBuffer(operation.buffer()).address();
  }

  int length() {
    return operation.buffer().remaining();
  }

  // ---- scratch ----

  void putName() {
    scratch = OpenFlags.name(operation.path());
  }

  void prepareStatus() {
    if (scratch == null) {
      scratch = ByteBuffer.allocateDirect(STATUS + STATUS_BYTES).order(ByteOrder.nativeOrder());
    }
  }

  private ByteBuffer scratch() {
    ByteBuffer own = scratch;
    if (own == null) {
      throw new IllegalStateException(operation + " needs no memory of its own");
    }
    return own;
  }

  long scratchAddress() {
    return MemorySegment.ofBuffer(scratch().rewind()).address();
  }

  long statusAddress() {
    return scratchAddress() + STATUS;
  }

  /// What the kernel has told.
  long size() {
    return scratch().getLong(STATUS + STATUS_SIZE);
  }

  /// Why that is not its size.
  @Nullable IOException sizeFailure() {
    boolean isDevice = (scratch().getShort(STATUS + STATUS_MODE) & TYPE) == BLOCK_DEVICE;
    return isDevice
        ? new IOException(
            operation.file()
                + " is a device, whose size the driver io_uring cannot tell; take the driver epoll")
        : null;
  }
}
