// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSnapshot;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.stream.IntStream;

/// The meters of the mailboxes of a process runtime: `heddle.mailboxes.…`, with the tag `runtime`,
/// which is the name of its host. `docs/how-to/export-metrics.md` lists them.
///
/// {@snippet class=dev.heddle.metrics.MetricsSnippetsTest region=mailboxes}
///
/// They are apart from [ProcessRuntimeMetrics] because of their cost. Each reading reads all
/// processes, on the thread that reads the registry, without the workers; it never waits. The
/// lengths of two mailboxes in one reading are of slightly different moments.
///
/// The meters are removed when the shutdown of the runtime begins, or by [#close()].
///
/// **Thread** any. **Cost** a read of each process for each of the two meters.
///
/// @since 0.1
public final class MailboxMetrics implements MeterBinder, AutoCloseable {
  private final ProcessRuntime runtime;
  private final Tags tags;
  private final BoundMeters bound;

  /// Meters with the tag `runtime` only.
  public MailboxMetrics(ProcessRuntime runtime) {
    this(runtime, Tags.empty());
  }

  /// Meters with further tags, which tell runtimes of the same name apart.
  public MailboxMetrics(ProcessRuntime runtime, Iterable<Tag> tags) {
    String name = runtime.mxBean().getName();
    this.runtime = runtime;
    this.tags = Tags.concat(tags, "runtime", name);
    this.bound = new BoundMeters("the mailboxes of the runtime '" + name + "'");
  }

  /// Registers the meters, or none if this is closed. It may be called for several registries.
  ///
  /// @throws IllegalStateException when the registry already has these meters of a runtime of this
  ///   name with these tags; or when the shutdown of the runtime has begun
  @Override
  public void bindTo(MeterRegistry registry) {
    var meters = new MeterFactory<>(registry, bound, tags, runtime);
    meters.checkUnused("heddle.mailboxes.queued");
    bound.onClose(runtime.beforeShutdown(bound)::close);
    meters.gauge(
        "heddle.mailboxes.queued",
        "messages",
        "Messages and signals in the mailboxes of all processes",
        of -> lengths(of).asLongStream().sum());
    meters.gauge(
        "heddle.mailboxes.longest",
        "messages",
        "Messages and signals in the longest mailbox",
        of -> lengths(of).max().orElse(0));
  }

  private static IntStream lengths(ProcessRuntime runtime) {
    return runtime.processes().stream().mapToInt(ProcessSnapshot::mailbox);
  }

  /// Removes the meters from all registries. Nothing is bound afterwards. Does nothing a second
  /// time.
  @Override
  public void close() {
    bound.close();
  }
}
