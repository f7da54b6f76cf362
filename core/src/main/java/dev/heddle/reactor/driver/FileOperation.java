// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Something asked of a [FileDriver]; its buffer is the driver's until it completes.
///
/// **Thread** the loop's; what it asks for is read by any thread that the driver hands it to.
public abstract class FileOperation {
  /*
   * States.
   *   from        event          to          who
   *   FREE        submitted()    SUBMITTED   the driver takes it
   *   SUBMITTED   cancelling()   CANCELLING  the driver was asked to end it; it may still succeed
   *   SUBMITTED,  complete(...)  FREE        the driver, in a tick: the system is done with the
   *   CANCELLING                             buffer
   *
   * Cancelling is no way back to FREE: a read that the kernel has begun writes into the buffer,
   * whether or not a caller still wants it.
   *
   * Sources. trap-28, trap-29.
   */
  /// What can be asked.
  public enum Kind {
    /// Open [#path()] with [#options()]; a success is told by [#opened(OpenFile)], then
    /// [#complete].
    OPEN,
    /// Read at [#position()] into [#buffer()], once: how many bytes, 0 for the end of the file.
    READ,
    /// Write [#buffer()] at [#position()], or at the end of a file opened to append: how many
    /// bytes, perhaps not all.
    WRITE,
    /// How long is it? That many bytes.
    SIZE,
    /// Cut it to [#position()] bytes; one that is not longer stays as it is.
    TRUNCATE,
    /// Bring its bytes and what is known of it to the device.
    SYNC,
    /// Bring its bytes to the device, and of what is known of it what reading them needs.
    SYNC_DATA,
    /// Close it. Its number is free when this completes, also when it fails.
    CLOSE
  }

  /// Its owner: the caller or the driver.
  public enum State {
    /// Its owner.
    FREE,
    /// The driver.
    SUBMITTED,
    /// The driver, which was asked to end it soon.
    CANCELLING
  }

  private final Kind kind;
  private final @Nullable Path path;
  private final Set<? extends OpenOption> options;
  private final @Nullable ByteBuffer buffer;

  // loop only; a thread that the driver hands it to reads it meanwhile
  private @Nullable OpenFile file;
  private long position;
  private State state = State.FREE;
  private @Nullable Object attachment;

  /// Opens a file.
  protected FileOperation(Path path, Set<? extends OpenOption> options) {
    this.kind = Kind.OPEN;
    this.path = path;
    this.options = Set.copyOf(options);
    this.buffer = null;
  }

  /// Asks something of a file.
  ///
  /// @param buffer a direct one, from its position to its limit; null: the kind needs none
  /// @param position in bytes from the beginning of the file
  protected FileOperation(Kind kind, OpenFile file, @Nullable ByteBuffer buffer, long position) {
    this.kind = kind;
    this.file = file;
    this.path = null;
    this.options = Set.of();
    this.buffer = buffer;
    this.position = position;
  }

  // ---- what is asked ----

  /// What is asked.
  public final Kind kind() {
    return kind;
  }

  /// Of which file.
  ///
  /// @throws IllegalStateException when it has not been opened
  public final OpenFile file() {
    return required(file);
  }

  /// What to open.
  ///
  /// @throws IllegalStateException for any other kind
  public final Path path() {
    return required(path);
  }

  /// How to open it: the JDK's rules for channels of files, and `READ` together with `APPEND`.
  public final Set<? extends OpenOption> options() {
    return options;
  }

  /// What to read into or write from, between its position and its limit, which the driver leaves
  /// as they are.
  ///
  /// @throws IllegalStateException for a kind without one
  public final ByteBuffer buffer() {
    return required(buffer);
  }

  /// Whether there is a buffer.
  public final boolean hasBuffer() {
    return buffer != null;
  }

  /// Where, in bytes.
  public final long position() {
    return position;
  }

  private <T> T required(@Nullable T what) {
    if (what == null) {
      throw new IllegalStateException("nothing of that kind belongs to " + this);
    }
    return what;
  }

  /// So many bytes have been transferred: what is left of it can be submitted.
  protected final void advance(int bytes) {
    ByteBuffer b = buffer();
    b.position(b.position() + bytes);
    position += bytes;
  }

  // ---- its life ----

  /// Its owner.
  public final State state() {
    return state;
  }

  /// What the driver has put here, to find its own again.
  public final @Nullable Object attachment() {
    return attachment;
  }

  /// The driver takes it.
  ///
  /// @param own what the driver wants to find again; null: nothing
  /// @throws IllegalStateException when a driver has it already
  public final void submitted(@Nullable Object own) {
    if (state != State.FREE) {
      throw new IllegalStateException("submitted twice: " + this + " is " + state);
    }
    state = State.SUBMITTED;
    attachment = own;
  }

  /// The driver has been asked to end it soon.
  ///
  /// @return whether that is new, and there is something to end
  public final boolean cancelling() {
    boolean running = state == State.SUBMITTED;
    if (running) {
      state = State.CANCELLING;
    }
    return running;
  }

  /// The driver has opened the file; [#complete] follows at once.
  public final void opened(OpenFile opened) {
    file = opened;
  }

  /// The driver gives it back: the system is done with it.
  ///
  /// @param result as its kind says; of no meaning with an error
  /// @throws IllegalStateException when no driver has it
  public final void complete(long result, @Nullable Throwable error) {
    if (state == State.FREE) {
      throw new IllegalStateException("completed without being submitted: " + this);
    }
    state = State.FREE;
    attachment = null;
    completed(result, error);
  }

  /// What to do with the answer. In a tick: takes no lock, runs no user code, submits nothing,
  /// throws nothing.
  protected abstract void completed(long result, @Nullable Throwable error);

  @Override
  public String toString() {
    return kind + (path == null ? "" : " of " + path);
  }
}
