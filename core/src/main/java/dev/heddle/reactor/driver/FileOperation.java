// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An operation of a [FileDriver], which owns the buffer until the operation completes.
///
/// **Thread** the carrier; its parameters are read by the thread to which the driver passes it.
public abstract class FileOperation {
  /*
   * States.
   *   from        event          to          who
   *   FREE        submitted()    SUBMITTED   the driver takes it
   *   SUBMITTED   cancelling()   CANCELLING  the driver was asked to end it; it may still succeed
   *   SUBMITTED,  complete(...)  FREE        the driver, in a poll: the system is done with the
   *   CANCELLING                             buffer
   *
   * Cancelling does not lead back to FREE: a read that the kernel has begun writes into the buffer
   * even if no caller wants it any more.
   *
   * Sources. trap-28, trap-29.
   */
  /// The kind of an operation.
  public enum Kind {
    /// Opens [#path()] with [#options()]; on success, [#opened(OpenFile)] is called before
    /// [#complete].
    OPEN,
    /// Reads once at [#position()] into [#buffer()]. Result: the number of bytes, 0 at the end of
    /// the file.
    READ,
    /// Writes [#buffer()] at [#position()], or at the end of a file opened to append. Result: the
    /// number of bytes, perhaps not all.
    WRITE,
    /// Reads the size. Result: bytes.
    SIZE,
    /// Truncates the file to [#position()] bytes; a file that is not longer stays as it is.
    TRUNCATE,
    /// Syncs content and metadata to the device.
    SYNC,
    /// Syncs the content and the metadata needed to read it to the device.
    SYNC_DATA,
    /// Closes the file. Its descriptor is free when this completes, also with a failure.
    CLOSE
  }

  /// The state, which determines the owner: the caller or the driver.
  public enum State {
    /// Owned by the caller.
    FREE,
    /// Owned by the driver.
    SUBMITTED,
    /// Owned by the driver, which was requested to end it.
    CANCELLING
  }

  private final Kind kind;
  private final @Nullable Path path;
  private final Set<? extends OpenOption> options;
  private final @Nullable ByteBuffer buffer;

  // loop only; read by the thread to which the driver passes the operation
  private @Nullable OpenFile file;
  private long position;
  private State state = State.FREE;
  private @Nullable Object attachment;

  protected FileOperation(Path path, Set<? extends OpenOption> options) {
    this.kind = Kind.OPEN;
    this.path = path;
    this.options = Set.copyOf(options);
    this.buffer = null;
  }

  /// An operation on an open file.
  ///
  /// @param buffer a direct buffer, used from its position to its limit; null if the kind needs
  ///   none
  /// @param position in bytes from the beginning of the file
  protected FileOperation(Kind kind, OpenFile file, @Nullable ByteBuffer buffer, long position) {
    this.kind = kind;
    this.file = file;
    this.path = null;
    this.options = Set.of();
    this.buffer = buffer;
    this.position = position;
  }

  // ---- parameters ----

  public final Kind kind() {
    return kind;
  }

  /// The file.
  ///
  /// @throws IllegalStateException when it is not open
  public final OpenFile file() {
    return required(file);
  }

  /// The path to open.
  ///
  /// @throws IllegalStateException for any other kind
  public final Path path() {
    return required(path);
  }

  /// The open options: those of the JDK's file channels, and also `READ` with `APPEND`.
  public final Set<? extends OpenOption> options() {
    return options;
  }

  /// The buffer to read into or write from, between its position and its limit, which the driver
  /// does not change.
  ///
  /// @throws IllegalStateException for a kind without one
  public final ByteBuffer buffer() {
    return required(buffer);
  }

  public final boolean hasBuffer() {
    return buffer != null;
  }

  /// The position, in bytes.
  public final long position() {
    return position;
  }

  private <T> T required(@Nullable T what) {
    if (what == null) {
      throw new IllegalStateException("no such parameter in " + this);
    }
    return what;
  }

  /// Advances buffer and position by the bytes transferred, so that the rest can be submitted.
  protected final void advance(int bytes) {
    ByteBuffer b = buffer();
    b.position(b.position() + bytes);
    position += bytes;
  }

  // ---- life cycle ----

  /// Its owner.
  public final State state() {
    return state;
  }

  public final @Nullable Object attachment() {
    return attachment;
  }

  /// Called by the driver that takes the operation.
  ///
  /// @param own the driver's attachment, or null
  /// @throws IllegalStateException when it is already submitted
  public final void submitted(@Nullable Object own) {
    if (state != State.FREE) {
      throw new IllegalStateException("submitted twice: " + this + " is " + state);
    }
    state = State.SUBMITTED;
    attachment = own;
  }

  /// Marks the operation as cancelling.
  ///
  /// @return whether it was submitted and not yet cancelling
  public final boolean cancelling() {
    boolean running = state == State.SUBMITTED;
    if (running) {
      state = State.CANCELLING;
    }
    return running;
  }

  /// Called when the driver has opened the file; [#complete] follows at once.
  public final void opened(OpenFile opened) {
    file = opened;
  }

  /// Called by the driver when the system has finished with the operation and its buffer.
  ///
  /// @param result as defined by the kind; meaningless with an error
  /// @throws IllegalStateException when it is not submitted
  public final void complete(long result, @Nullable Throwable error) {
    if (state == State.FREE) {
      throw new IllegalStateException("completed without being submitted: " + this);
    }
    state = State.FREE;
    attachment = null;
    completed(result, error);
  }

  /// Called with the result, in a poll: takes no lock, runs no user code, submits nothing, never
  /// throws.
  protected abstract void completed(long result, @Nullable Throwable error);

  @Override
  public String toString() {
    return kind + (path == null ? "" : " of " + path);
  }
}
