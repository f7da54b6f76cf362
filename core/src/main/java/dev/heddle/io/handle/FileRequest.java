// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventHome;
import dev.heddle.event.source.EventSource;
import dev.heddle.failure.AnotherThread;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.driver.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Something asked of a file for a caller who may leave, and its end as an event.
abstract class FileRequest extends FileOperation {
  private final EventHome home;
  private final Object owner;
  private final Done answer;

  // loop only
  private @Nullable Done end; // made when somebody asks for it
  private long result;
  private @Nullable Throwable failure;
  private boolean left;
  private boolean ended;

  FileRequest(EventHome home, Path path, Set<? extends OpenOption> options) {
    super(path, options);
    this.home = home;
    this.owner = path;
    this.answer = new Done();
  }

  FileRequest(
      EventHome home,
      Object owner,
      Kind kind,
      OpenFile file,
      @Nullable ByteBuffer buffer,
      long position) {
    super(kind, file, buffer, position);
    this.home = home;
    this.owner = owner;
    this.answer = new Done();
  }

  /// Waits, as its caller, until it has ended or the caller is sent away. What it has failed with
  /// is thrown with the frames of this call.
  final void await(CoroutineNode<?> self, Deadline deadline) {
    try {
      if (deadline.isNever()) {
        self.awaitEvent(answer);
      } else {
        self.awaitEvent(answer, deadline, null);
      }
    } catch (Throwable e) {
      if (answer.error == e) {
        AnotherThread.answeredHere(e);
      }
      throw e;
    }
  }

  /// Fires when it has ended, whatever became of it.
  final EventSource end() {
    Done own = end;
    if (own == null) {
      own = new Done();
      end = own;
      if (ended) {
        own.tell(null);
      }
    }
    return own;
  }

  /// Whether the driver is done with it.
  final boolean hasEnded() {
    return ended;
  }

  /// Why it failed; null: it did not, or has not ended.
  final @Nullable Throwable failure() {
    return failure;
  }

  /// The answer to what was asked; of a write, how many bytes, however many calls it took.
  final long result() {
    return result;
  }

  /// Its caller has gone.
  final void leave() {
    left = true;
  }

  /// Whether its caller has gone.
  final boolean isLeft() {
    return left;
  }

  /// Sends its caller away.
  final void sendAway(IOException why) {
    answer.tell(why);
  }

  @Override
  protected final void completed(long count, @Nullable Throwable error) {
    result += count;
    if (kind() == Kind.WRITE && error == null) {
      advance((int) count);
      if (buffer().hasRemaining()) {
        submitRest();
        return;
      }
    }
    ended = true;
    failure = error;
    ended();
    answer.tell(error);
    if (end != null) {
      end.tell(null);
    }
  }

  /// Not all has been written.
  protected void submitRest() {
    throw new IllegalStateException("nothing is left of " + this);
  }

  /// The driver is done with it.
  protected void ended() {}

  private String doing() {
    return switch (kind()) {
      case OPEN -> "the opening of ";
      case READ -> "input from ";
      case WRITE -> "output to ";
      case SIZE -> "the size of ";
      case TRUNCATE -> "the truncation of ";
      case SYNC, SYNC_DATA -> "the sync of ";
      case CLOSE -> "the closing of ";
    };
  }

  private final class Done extends EventSource {
    private boolean told;
    private @Nullable Throwable error;

    Done() {
      super(home);
    }

    void tell(@Nullable Throwable why) {
      if (!told) {
        told = true;
        error = why;
        settled();
        fire(null, why);
      }
    }

    @Override
    public boolean isClosed() {
      return told;
    }

    @Override
    public boolean isHidden() {
      return false;
    }

    @Override
    public void replay(EventCallback callback) {
      if (!told) {
        super.replay(callback);
      }
      callback.onEvent(this, null, error);
    }

    @Override
    public String info() {
      return doing() + owner;
    }
  }
}
