// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.reactor.driver.FileOperation;
import io.netty.channel.uring.IoUringIoOps;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// A file operation in the ring, with the memory that the kernel accesses besides its buffer.
final class RingOperation {
  static final short NO_SLOT = -1;

  /// Fields requested from `statx`: size and type.
  static final int WANTED = 0x201; // STATX_SIZE | STATX_TYPE

  /// Flag of `statx`: an empty name means the descriptor itself.
  static final int OF_THE_NUMBER = 0x1000; // AT_EMPTY_PATH

  private static final int STATUS = 8; // offset in the scratch memory; before it is the empty name
  private static final int STATUS_BYTES = 256; // of struct statx
  private static final int STATUS_MODE = 28;
  private static final int STATUS_SIZE = 40;
  private static final int TYPE = 0xF000;
  private static final int BLOCK_DEVICE = 0x6000;

  final FileOperation operation;
  final int flags; // for OPEN
  short slot = NO_SLOT;
  long name; // identifier in the ring
  boolean isBlocking; // to be executed by a kernel worker
  boolean isKnownToBeLonger;
  @Nullable IOException failure; // written by the thread that closes its channels
  private @Nullable ByteBuffer scratch;

  RingOperation(FileOperation operation) {
    this.operation = operation;
    this.flags =
        operation.kind() == FileOperation.Kind.OPEN ? OpenFlags.of(operation.options()) : 0;
  }

  /// A submission to the ring, with the fields that this package uses.
  ///
  /// @param data is returned with the completion
  static IoUringIoOps submission(
      byte code, byte flags, int fd, long offset, long address, int length, int what, long data) {
    short none = 0;
    return new IoUringIoOps(
        code, flags, none, fd, offset, address, length, what, data, none, none, 0, 0);
  }

  /// The file; null for OPEN.
  @Nullable RingFile file() {
    return operation.kind() == FileOperation.Kind.OPEN ? null : (RingFile) operation.file();
  }

  int fd() {
    return ((RingFile) operation.file()).fd();
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
      throw new IllegalStateException(operation + " needs no scratch memory");
    }
    return own;
  }

  long scratchAddress() {
    return MemorySegment.ofBuffer(scratch().rewind()).address();
  }

  long statusAddress() {
    return scratchAddress() + STATUS;
  }

  long size() {
    return scratch().getLong(STATUS + STATUS_SIZE);
  }

  /// Why that value is not the size, or null.
  @Nullable IOException sizeFailure() {
    boolean isDevice = (scratch().getShort(STATUS + STATUS_MODE) & TYPE) == BLOCK_DEVICE;
    return isDevice
        ? new IOException(
            operation.file()
                + " is a device, whose size the driver io_uring cannot read; use the driver epoll")
        : null;
  }
}
