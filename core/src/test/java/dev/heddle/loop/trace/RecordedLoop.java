// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/// A loop that a test records: its main coroutine can wait for the recording, and for the end of
/// the test.
final class RecordedLoop implements AutoCloseable {
  interface Body {
    void run(RecordedLoop self) throws Exception;
  }

  private final CompletableFuture<CoroutineTree> tree = new CompletableFuture<>();
  private final CountDownLatch recording = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);
  private final Loop<Boolean> loop;

  private RecordedLoop(Body body) {
    loop =
        Loop.start(
            HeddleOptions.defaults().withName("traced"),
            () -> {
              body.run(this);
              return true;
            });
  }

  /// Starts one, whose main coroutine has the body.
  static RecordedLoop start(Body body) {
    return new RecordedLoop(self -> {
      self.isThere();
      body.run(self);
    });
  }

  /// The same, for a body that says itself when it is there.
  static RecordedLoop startBefore(Body body) {
    return new RecordedLoop(body);
  }

  /// The loop may be recorded from now on; called by the body.
  void isThere() {
    tree.complete(CoroutineNode.current().tree());
  }

  CoroutineTree tree() {
    return tree.join();
  }

  void recordingHasBegun() {
    recording.countDown();
  }

  boolean isRecorded() {
    return recording.getCount() == 0;
  }

  void awaitRecording() throws InterruptedException {
    recording.await();
  }

  void awaitEnd() throws InterruptedException {
    end.await();
  }

  boolean isAtItsEnd() {
    return end.getCount() == 0;
  }

  /// Lets the body end.
  void end() {
    recording.countDown();
    end.countDown();
  }

  /// The same, and waits for the end of the loop.
  void join() {
    end();
    assertThat(loop.join()).isTrue();
  }

  @Override
  public void close() {
    join();
  }
}
