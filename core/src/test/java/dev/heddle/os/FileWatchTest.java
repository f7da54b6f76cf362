// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static dev.heddle.os.FileChange.Kind.CREATED;
import static dev.heddle.os.FileChange.Kind.DELETED;
import static dev.heddle.os.FileChange.Kind.MODIFIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.EventsLostException;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.event.EventStream;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Watches of real directories.
@Tag("T13.4")
@Timeout(300)
@Proves("file system")
class FileWatchTest {
  private static final int MORE_THAN_A_KEY_HOLDS = 600; // the JDK keeps 512 for each directory

  @TempDir private Path root = Path.of("");

  @TempDir private Path beside = Path.of("");

  @BeforeEach
  void needsAnInstance() throws IOException {
    InotifyInstances.assumeOneIsLeft();
  }

  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  private static void append(Path file) throws IOException {
    Files.write(file, new byte[] {1}, StandardOpenOption.APPEND, StandardOpenOption.CREATE);
  }

  private FileChange change(FileChange.Kind kind, Path path) {
    return new FileChange(kind, root, path);
  }

  /// Reads on until there is this one.
  private void await(EventStream<FileChange> changes, FileChange.Kind kind, Path path) {
    await(changes, change(kind, path));
  }

  private static void await(EventStream<FileChange> changes, FileChange wanted) {
    FileChange next = changes.next();
    while (!next.equals(wanted)) {
      next = changes.next();
    }
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void changes_ofFiles_areReported() {
    Path file = root.resolve("a");
    inLoop(() -> {
      try (EventStream<FileChange> changes = FileWatch.of(root).open()) {
        Files.createFile(file);
        assertThat(changes.next()).isEqualTo(change(CREATED, file));
        append(file);
        assertThat(changes.next()).isEqualTo(change(MODIFIED, file));
        Files.delete(file);
        assertThat(changes.next()).isEqualTo(change(DELETED, file));
      }
    });
  }

  @Test
  @Tag("loop-244")
  @Shows(Aspect.INTEGRITY)
  void changes_ofOneFileThatWereNotRead_areOne_rawOnesAreEach() {
    Path file = root.resolve("a");
    Path last = root.resolve("b");
    inLoop(() -> {
      append(file);
      // told first, so that it has what the raw one has been told of
      try (EventStream<FileChange> merged = FileWatch.of(root).open();
          EventStream<FileChange> raw = FileWatch.of(root).raw().open()) {
        for (int i = 0; i < 3; i++) {
          append(file);
          assertThat(raw.next()).isEqualTo(change(MODIFIED, file));
        }
        Files.createFile(last);
        assertThat(raw.next()).isEqualTo(change(CREATED, last));
        assertThat(merged.next()).isEqualTo(change(MODIFIED, file));
        assertThat(merged.next()).isEqualTo(change(CREATED, last));
      }
    });
  }

  @Test
  @Tag("loop-245")
  void filters_dropTheRest() {
    inLoop(() -> {
      FileWatch watch =
          FileWatch.of(root)
              .withExtensions("txt", "md")
              .withFilter(path -> !path.getFileName().toString().startsWith("."));
      try (EventStream<FileChange> changes = watch.open()) {
        for (String name : List.of("a.log", ".hidden.txt", "txt", "b.md", "c.txt")) {
          Files.createFile(root.resolve(name));
        }
        assertThat(changes.next()).isEqualTo(change(CREATED, root.resolve("b.md")));
        assertThat(changes.next()).isEqualTo(change(CREATED, root.resolve("c.txt")));
      }
    });
  }

  // ---- directories that come and go ----

  @Test
  @Tag("loop-246")
  @Tag("trap-35")
  void recursive_nestedDirectoryRemovedAndMadeAgain_isStillWatched() {
    Path nested = root.resolve("x").resolve("y");
    Path file = nested.resolve("f");
    inLoop(() -> {
      Files.createDirectories(nested);
      try (EventStream<FileChange> changes = FileWatch.of(root).recursive().open()) {
        for (int round = 0; round < 3; round++) {
          Files.createFile(file);
          await(changes, CREATED, file);
          Files.delete(file);
          Files.delete(nested);
          await(changes, DELETED, nested);
          Files.createDirectory(nested);
          await(changes, CREATED, nested);
        }
      }
    });
  }

  @Test
  void recursive_filesThatWereThereBeforeTheirDirectoryWasWatched_areReported() {
    Path made = root.resolve("made");
    Path file = made.resolve("deep").resolve("f");
    inLoop(() -> {
      try (EventStream<FileChange> changes = FileWatch.of(root).recursive().raw().open()) {
        Path aside = beside.resolve("made");
        Files.createDirectories(aside.resolve("deep"));
        Files.createFile(aside.resolve("deep").resolve("f"));
        Files.move(aside, made);
        await(changes, CREATED, file);
        append(file);
        await(changes, MODIFIED, file);
      }
    });
  }

  @Test
  void recursive_directoryThatIsMovedAway_isWatchedNoMore() {
    Path nested = root.resolve("nested");
    Path last = root.resolve("last");
    inLoop(() -> {
      Files.createDirectory(nested);
      Path aside = beside.resolve("nested");
      try (EventStream<FileChange> changes = FileWatch.of(root).recursive().open()) {
        Files.move(nested, aside);
        await(changes, DELETED, nested);
        Files.createFile(aside.resolve("f"));
        Files.createFile(last);
        assertThat(changes.next()).isEqualTo(change(CREATED, last));
      }
    });
  }

  @Test
  void directory_thatIsNotWatchedRecursively_tellsNothingOfThoseBelow() {
    Path nested = root.resolve("nested");
    Path last = root.resolve("last");
    inLoop(() -> {
      Files.createDirectory(nested);
      try (EventStream<FileChange> changes = FileWatch.of(root).open()) {
        Files.createFile(nested.resolve("f"));
        Files.createFile(last);
        assertThat(changes.next()).isEqualTo(change(CREATED, last));
      }
    });
  }

  @Test
  @Tag("trap-35")
  void root_removedAndMadeAgain_isStillWatched() throws IOException {
    Path top = root.resolve("up").resolve("top");
    Path file = top.resolve("f");
    Files.createDirectories(top);
    inLoop(() -> {
      try (EventStream<FileChange> changes = FileWatch.of(top).raw().open()) {
        Files.delete(top);
        assertThat(changes.next()).isEqualTo(new FileChange(DELETED, top, top));
        Files.delete(top.getParent()); // the one that is watched in its place
        Files.createDirectories(top);
        Files.createFile(file);
        FileChange made = changes.next();
        assertThat(made).isEqualTo(new FileChange(CREATED, top, file));
        append(file);
        // its making may be told twice, and would merge with this
        await(changes, new FileChange(MODIFIED, top, file));
      }
    });
  }

  @Test
  @Tag("trap-35")
  void links_inACircle_areNotFollowed() throws IOException {
    Path file = root.resolve("f");
    Files.createSymbolicLink(root.resolve("link"), root);
    inLoop(() -> {
      FileWatch watch = FileWatch.of(root).recursive().withLimit(1);
      try (EventStream<FileChange> changes = watch.open()) {
        Files.createFile(file);
        assertThat(changes.next()).isEqualTo(change(CREATED, file));
      }
    });
  }

  // ---- what is too much ----

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the usual sneaky throw
  private static <E extends Throwable> RuntimeException sneaky(Throwable failure) throws E {
    throw (E) failure;
  }

  @Test
  @Tag("trap-18")
  void filter_thatThrowsWhatItDoesNotDeclare_failsTheStreamWithIt() {
    TimeoutException checked = new TimeoutException("of the filter");
    FileWatch failing =
        FileWatch.of(root)
            .withFilter(_ -> {
              throw FileWatchTest.<RuntimeException>sneaky(checked);
            });
    inLoop(() -> {
      try (EventStream<FileChange> changes = failing.open()) {
        Files.createFile(root.resolve("a"));
        assertThatThrownBy(changes::next).isInstanceOf(CoroutineException.class).hasCause(checked);
      }
    });
  }

  @Test
  @Tag("trap-35")
  void overflow_ofTheSystem_isReportedInItsPlace() {
    AtomicInteger made = new AtomicInteger();
    AtomicBoolean enough = new AtomicBoolean();
    // for each file that it looks at, more are made than there is room for
    FileWatch slow =
        FileWatch.of(root)
            .withFilter(path -> {
              int until = made.get() + MORE_THAN_A_KEY_HOLDS;
              while (made.get() < until && !enough.get()) {
                Thread.onSpinWait();
              }
              return true;
            });
    inLoop(() -> {
      try (EventStream<FileChange> changes = slow.open()) {
        Coroutine<Boolean> maker = Heddle.spawn(() -> make(made, enough));
        assertThatThrownBy(
                () -> {
                  while (true) {
                    changes.next();
                  }
                })
            .isInstanceOf(EventsLostException.class)
            .hasMessageContaining(root.toString());
        enough.set(true);
        maker.await();
        awaitMore(changes);
      }
    });
  }

  private boolean make(AtomicInteger made, AtomicBoolean enough) throws IOException {
    while (!enough.get()) {
      Files.createFile(root.resolve("f" + made.incrementAndGet()));
      Heddle.yieldNow();
    }
    return true;
  }

  /// Makes files until one of them is told: some may still be lost.
  private void awaitMore(EventStream<FileChange> changes) throws IOException {
    Path last = root.resolve("last");
    for (FileChange next = change(CREATED, root); !last.equals(next.path()); ) {
      Files.deleteIfExists(last);
      Files.createFile(last);
      try {
        next = changes.next();
      } catch (EventsLostException e) {
        next = change(CREATED, root); // some of those before
      }
    }
  }

  @Test
  void stream_thatIsFull_saysHowManyWereLost() {
    inLoop(() -> {
      try (EventStream<FileChange> changes = FileWatch.of(root).withCapacity(1).open();
          EventStream<FileChange> all = FileWatch.of(root).open()) {
        for (String name : List.of("a", "b", "c")) {
          Files.createFile(root.resolve(name));
          assertThat(all.next().path()).hasFileName(name);
        }
        assertThat(changes.next()).isEqualTo(change(CREATED, root.resolve("a")));
        assertThatThrownBy(changes::next)
            .isInstanceOfSatisfying(
                EventsLostException.class, e -> assertThat(e.count()).isEqualTo(2));
      }
    });
  }

  @Test
  @Tag("trap-35")
  void moreDirectoriesThanAllowed_areRefused_alsoLater() throws IOException {
    Files.createDirectory(root.resolve("one"));
    inLoop(() -> {
      assertThatThrownBy(() -> FileWatch.of(root).recursive().withLimit(1).open())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("more than 1 directories")
          .hasMessageContaining("raise the limit");
      try (EventStream<FileChange> changes = FileWatch.of(root).recursive().withLimit(2).open()) {
        Files.createDirectory(root.resolve("two"));
        assertThat(changes.next()).isEqualTo(change(CREATED, root.resolve("two")));
        assertThatThrownBy(changes::next)
            .isInstanceOf(UncheckedIOException.class)
            .hasMessageContaining("more than 2 directories");
      }
    });
  }

  @Test
  void filterThatThrows_endsTheWatchWithThat() {
    inLoop(() -> {
      FileWatch broken =
          FileWatch.of(root)
              .withFilter(path -> {
                throw new IllegalStateException("broken filter");
              });
      try (EventStream<FileChange> changes = broken.open();
          EventStream<FileChange> others = FileWatch.of(root).open()) {
        Files.createFile(root.resolve("f"));
        assertThatThrownBy(changes::next).hasMessage("broken filter");
        assertThat(others.next()).isEqualTo(change(CREATED, root.resolve("f")));
      }
    });
  }

  @Test
  void whatIsNoDirectory_isRefused() throws IOException {
    Path file = Files.createFile(root.resolve("f"));
    inLoop(() -> {
      assertThatThrownBy(() -> FileWatch.of(file).open()).isInstanceOf(NotDirectoryException.class);
      assertThatThrownBy(() -> FileWatch.of(root.resolve("none")).open())
          .isInstanceOf(NoSuchFileException.class);
    });
    assertThatThrownBy(() -> FileWatch.of(root).open())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Heddle.run");
    assertThatThrownBy(() -> FileWatch.of(root).withDebounce(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FileWatch.of(root).withLimit(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FileWatch.of(root).withCapacity(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // ---- waits and ends ----

  @Test
  @Shows({Aspect.CANCEL, Aspect.DEADLINE})
  void read_thatIsCancelled_takesNothing() {
    Path file = root.resolve("f");
    inLoop(() -> {
      try (EventStream<FileChange> changes = FileWatch.of(root).open()) {
        assertThatThrownBy(() -> changes.next(Deadline.after(Duration.ofNanos(1))))
            .isInstanceOf(DeadlineException.class);
        assertThatThrownBy(() -> changes.next(Heddle.timer(Duration.ZERO)))
            .isInstanceOf(WaitCancelledException.class);
        Files.createFile(file);
        assertThat(changes.next()).isEqualTo(change(CREATED, file));
      }
    });
  }

  @Test
  void threads_endWithTheLastWatch() throws InterruptedException {
    awaitNoWatchThread();
    inLoop(() -> {
      try (EventStream<FileChange> one = FileWatch.of(root).open()) {
        try (EventStream<FileChange> other = FileWatch.of(root).open()) {
          assertThat(other.lost()).isZero();
        }
        Files.createFile(root.resolve("f"));
        assertThat(one.next().kind()).isEqualTo(CREATED);
        assertThat(watchThreads()).hasSize(1);
      }
      while (!watchThreads().isEmpty()) {
        Heddle.yieldNow();
      }
      try (EventStream<FileChange> again = FileWatch.of(root).open()) {
        append(root.resolve("f"));
        assertThat(again.next().kind()).isEqualTo(MODIFIED);
      }
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  void watch_thatWasLeftOpen_endsWithItsLoop() throws InterruptedException {
    awaitNoWatchThread();
    List<Thread> threads = new ArrayList<>();
    inLoop(() -> {
      EventStream<FileChange> open = FileWatch.of(root).open();
      assertThat(open.lost()).isZero();
      threads.addAll(watchThreads());
    });
    assertThat(threads).hasSize(1);
    threads.getFirst().join();
  }

  // a watch's thread ends after the watch, and after its loop
  private static void awaitNoWatchThread() throws InterruptedException {
    for (Thread thread : watchThreads()) {
      thread.join();
    }
  }

  private static List<Thread> watchThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("heddle-watch"))
        .toList();
  }

  @Test
  void dump_namesWhatIsWatched() {
    inLoop(() -> {
      try (EventStream<FileChange> changes = FileWatch.of(root).open()) {
        Coroutine<FileChange> reader = Heddle.spawn(() -> changes.next());
        Heddle.yieldNow();
        assertThat(Heddle.dump().text()).contains("the next of changes below " + root);
        reader.cancel("enough");
      }
    });
  }
}
