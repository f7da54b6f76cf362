// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.LoopService;
import dev.heddle.thread.worker.BlockingFileDriver;
import java.util.HashSet;
import java.util.Set;

/// A handle of standard input. When it is closed or its loop ends, the next handle gets the bytes
/// that it has read but not returned.
public final class InputHandle extends BlockingHandle {
  private final StandardInput file;
  private final Inputs inputs;

  private InputHandle(
      CoroutineNode<?> self, BlockingFileDriver threads, StandardInput file, Inputs inputs) {
    super(self, threads, file, "standard input");
    this.file = file;
    this.inputs = inputs;
  }

  /// Opens a handle of the current loop.
  public static InputHandle open() {
    CoroutineNode<?> self = CoroutineNode.current();
    StandardInput file = new StandardInput();
    BlockingFileDriver threads =
        LoopRuntime.of(self).blockingPools().files("stdin", THREADS, _ -> file);
    Inputs inputs = LoopRuntime.of(self).services().get(Inputs.class, Inputs::new);
    InputHandle handle = new InputHandle(self, threads, file, inputs);
    inputs.open.add(handle);
    return handle;
  }

  @Override
  protected void onClose() {
    super.onClose();
    inputs.open.remove(this);
  }

  /// The open handles of standard input of a loop.
  private static final class Inputs implements LoopService {
    private final Set<InputHandle> open = new HashSet<>();

    @Override
    public void loopEnded() {
      for (InputHandle each : open) {
        each.unread();
        each.file.loopEnded();
      }
    }
  }
}
