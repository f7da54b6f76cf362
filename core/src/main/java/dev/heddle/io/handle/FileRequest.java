// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.failure.CrossThreadTraces;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.driver.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A file operation whose caller may leave, with its end as an event.
abstract class FileRequest extends FileOperation {
  private final HomeLoop home;
  private final Object owner;
  private final Done callerEvent;

  // loop only
  private @Nullable Done endEvent; // created on demand
  private long result;
  private @Nullable Throwable failure;
  private boolean detached;
  private boolean ended;

  FileRequest(HomeLoop home, Path path, Set<? extends OpenOption> options) {
    super(path, options);
    this.home = home;
    this.owner = path;
    this.callerEvent = new Done();
  }

  FileRequest(
      HomeLoop home,
      Object owner,
      Kind kind,
      OpenFile file,
      @Nullable ByteBuffer buffer,
      long position) {
    super(kind, file, buffer, position);
    this.home = home;
    this.owner = owner;
    this.callerEvent = new Done();
  }

  /// Waits, as its caller, until it has ended or [#failCaller] is called. Throws its failure with
  /// the stack trace of this call.
  final void await(CoroutineNode<?> self, Deadline deadline) {
    try {
      self.awaitEvent(callerEvent, deadline, null);
    } catch (Throwable e) {
      if (callerEvent.error == e) {
        CrossThreadTraces.replaceTrace(e);
      }
      throw e;
    }
  }

  /// Fires when it has ended, successfully or not.
  final EventSource end() {
    Done own = endEvent;
    if (own == null) {
      own = new Done();
      endEvent = own;
      if (ended) {
        own.fireDone(null);
      }
    }
    return own;
  }

  /// Whether the driver has finished with it.
  final boolean hasEnded() {
    return ended;
  }

  /// Its failure; null if it succeeded or has not ended.
  final @Nullable Throwable failure() {
    return failure;
  }

  /// Its result; of a write, the number of bytes of all its calls.
  final long result() {
    return result;
  }

  final void detach() {
    detached = true;
  }

  final boolean isDetached() {
    return detached;
  }

  final void failCaller(IOException why) {
    callerEvent.fireDone(why);
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
    callerEvent.fireDone(error);
    if (endEvent != null) {
      endEvent.fireDone(null);
    }
  }

  /// Called when only a part was written.
  protected void submitRest() {
    throw new IllegalStateException("nothing is left of " + this);
  }

  /// Called when the driver has finished with it.
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
    private boolean fired;
    private @Nullable Throwable error;

    Done() {
      super(home);
    }

    void fireDone(@Nullable Throwable why) {
      if (!fired) {
        fired = true;
        error = why;
        settled();
        fire(null, why);
      }
    }

    @Override
    public boolean isClosed() {
      return fired;
    }

    @Override
    public boolean isDaemon() {
      return false;
    }

    @Override
    public void replay(EventCallback callback) {
      if (!fired) {
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
