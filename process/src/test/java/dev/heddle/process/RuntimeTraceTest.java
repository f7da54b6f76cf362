// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.observe.trace.Recording;
import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The trace of a runtime, as the session of an observer records it.
@Timeout(300)
@Tag("watch-3")
class RuntimeTraceTest {
  private static final String OTHERS = "runtime";

  private record Entry(String ring, int kind, String code, long who, long other, long time) {
    boolean is(TraceKind wanted) {
      return kind == wanted.number();
    }
  }

  private record Trace(
      List<Map<String, String>> rings, List<Entry> entries, Map<Long, String> names) {
    static Trace of(Recording recording) {
      List<Map<String, String>> rows = recording.stop();
      List<Map<String, String>> rings = rows("ring", rows);
      List<Entry> entries = new ArrayList<>();
      for (Map<String, String> ring : rings) {
        TraceRing.Copy copy = copy(recording, ring);
        assertThat(copy.lost()).isZero();
        IntStream.range(0, copy.size())
            .mapToObj(i ->
                new Entry(
                    ring.getOrDefault("what", "worker"),
                    copy.kind(i),
                    ring.getOrDefault("code." + copy.code(i), "?"),
                    copy.who(i),
                    copy.other(i),
                    copy.time(i)))
            .forEach(entries::add);
      }
      assertThat(recording.piece()).isNull();
      Map<Long, String> names = new HashMap<>();
      rows("names", rows)
          .forEach(row ->
              row.forEach((id, name) -> {
                if (!id.equals("row")) {
                  names.put(Long.valueOf(id), name);
                }
              }));
      return new Trace(rings, entries, names);
    }

    private static List<Map<String, String>> rows(String row, List<Map<String, String>> all) {
      return all.stream().filter(each -> row.equals(each.get("row"))).toList();
    }

    private static TraceRing.Copy copy(Recording recording, Map<String, String> ring) {
      long total = Long.parseLong(ring.get("recorded"));
      long left = TraceRing.Copy.bytes(total - Long.parseLong(ring.get("lost")));
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      while (bytes.size() < left) {
        bytes.writeBytes(recording.piece());
      }
      return TraceRing.Copy.of(bytes.toByteArray(), total);
    }

    List<Entry> all(TraceKind kind) {
      return entries.stream().filter(each -> each.is(kind)).toList();
    }

    List<Entry> all(TraceKind kind, Pid process) {
      return all(kind).stream().filter(each -> each.who == process.id()).toList();
    }
  }

  private final BlockingQueue<Invocation<Object>> calls = Kit.queue();
  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(2)
          .handler(Kit.Call.class, CommandHandler.inline((_, invocation) -> calls.add(invocation)))
          .start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private Recording record() {
    return ((RuntimeBean) runtime.mxBean()).record();
  }

  /// A process that another worker ran to its end at once was said to end twice.
  @Test
  void processes_endOnceEach_whicheverWorkerEndsThem() {
    int count = 3_000;
    List<Pid> all =
        IntStream.range(0, count)
            .mapToObj(_ ->
                runtime.spawn(
                    Kit.process((_, events, out) -> {
                      if (!events.isEmpty()) {
                        out.done(1);
                      }
                    })))
            .toList();
    Recording recording = record();
    all.forEach(each -> runtime.send(each, "end"));
    all.forEach(each -> Kit.exit(runtime, each));
    Trace trace = Trace.of(recording);
    recording.close();

    assertThat(trace.all(TraceKind.END))
        .extracting(Entry::who)
        .doesNotHaveDuplicates()
        .hasSizeBetween(count - 2, count); // each worker may be at the end of one
    assertThat(trace.all(TraceKind.RUN))
        .filteredOn(run -> run.code.equals("ends"))
        .extracting(Entry::who)
        .doesNotHaveDuplicates();
  }

  @Test
  void messages_areThoseThatWereAccepted() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    Pid full =
        runtime.spawn(
            (events, _) -> {
              if (!events.isEmpty()) {
                inside.countDown();
                held.await();
              }
            },
            StartOptions.defaults().withMailbox(3, MailboxPolicy.REJECT));
    runtime.send(full, "begin");
    inside.await();
    Recording recording = record();
    Pid sender =
        runtime.spawn(
            Kit.process((self, _, out) -> {
              int accepted = 0;
              for (int i = 0; i < 10; i++) {
                accepted += self.offer(full, i) == SendResult.ACCEPTED ? 1 : 0;
              }
              out.done(accepted);
            }));
    Object accepted = Kit.exit(runtime, sender).result();
    Trace trace = Trace.of(recording);
    recording.close();
    held.countDown();

    assertThat(trace.all(TraceKind.MESSAGE, full))
        .hasSize((Integer) accepted)
        .extracting(Entry::other)
        .containsOnly(sender.id());
  }

  @Test
  void messageOfAnotherThread_andTheWakeUp_areOfTheOthers() {
    Pid waiting = runtime.spawn(Kit.untilMessage());
    Recording recording = record();
    runtime.send(waiting, "end");
    Kit.exit(runtime, waiting);
    Trace trace = Trace.of(recording);
    recording.close();

    assertThat(trace.all(TraceKind.MESSAGE, waiting))
        .extracting(Entry::ring, Entry::other)
        .containsExactly(org.assertj.core.api.Assertions.tuple(OTHERS, 0L));
    assertThat(trace.all(TraceKind.WAKE, waiting)).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void commands_areThereFromIssueToReply_withTheirClass() throws Exception {
    int count = 50;
    Recording recording = record();
    int[] got = new int[1];
    Pid asking =
        runtime.spawn(
            Kit.process((_, events, out) -> {
              if (events.isEmpty()) {
                for (int i = 0; i < count; i++) {
                  out.execute(i + 1, new Kit.Call("nr " + i));
                }
              }
              got[0] += events.size();
              if (got[0] == count) {
                out.done(1);
              }
            }));
    List<Invocation<Object>> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(Kit.take(calls));
    }
    asked.getFirst().fail(new IllegalStateException("no"));
    asked.stream().skip(1).forEach(each -> each.complete("done"));
    assertThat(asked.getFirst().complete("late")).isFalse();
    Kit.exit(runtime, asking);
    Trace trace = Trace.of(recording);
    recording.close();

    assertThat(trace.all(TraceKind.COMMAND, asking))
        .hasSize(count)
        .extracting(Entry::code)
        .containsOnly("Call");
    List<Entry> replies = trace.all(TraceKind.COMMAND_DONE, asking);
    assertThat(replies).hasSize(count).extracting(Entry::ring).containsOnly(OTHERS);
    assertThat(replies).filteredOn(each -> each.code.equals("failed")).hasSize(1);
    for (Entry reply : replies) {
      assertThat(trace.all(TraceKind.COMMAND, asking))
          .filteredOn(each -> each.other == reply.other)
          .singleElement()
          .satisfies(command -> assertThat(command.time).isLessThanOrEqualTo(reply.time));
    }
  }

  @Test
  void stepThatDoesNotReturn_stillRuns() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    Recording recording = record();
    Pid stuck =
        runtime.spawn((events, _) -> {
          inside.countDown();
          held.await();
        });
    inside.await();
    Trace trace = Trace.of(recording);
    recording.close();
    held.countDown();

    assertThat(trace.rings)
        .filteredOn(ring -> ring.containsKey("heldBy"))
        .singleElement()
        .satisfies(ring -> assertThat(ring).containsEntry("heldBy", Long.toString(stuck.id())));
    assertThat(trace.names).containsKey(stuck.id());
  }

  @Test
  void recordingThatIsStoppedTwice_saysTheSame_andLeavesNoTrace() {
    Recording recording = record();
    assertThatThrownBy(this::record)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another observer");
    List<Map<String, String>> first = recording.stop();
    Kit.exit(runtime, runtime.spawn((_, out) -> out.done(1)));
    assertThat(recording.stop()).isEqualTo(first);
    recording.close();
    record().close();
  }
}
