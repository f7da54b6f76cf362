// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.DeadlineException;
import dev.heddle.process.event.DeadLetter;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A process of sequential code that takes messages of one class.
///
/// ```java
/// Ref<Message> counter = runtime.spawn(TypedCoroutineProcess.of(Message.class, self -> {
///   int total = 0;
///   while (true) {
///     switch (self.next()) {
///       case Add(int amount) -> total += amount;
///       case Total(Reply<Integer> reply) -> reply.with(total);
///     }
///   }
/// }));
/// ```
///
/// [#next] passes over signals, which stay for `receive(ProcessSignal.class)`. A message of another
/// class is a [DeadLetter], `UNHANDLED`; an `ask` with it fails.
///
/// @param <M> of its messages
/// @since 0.1
public final class TypedCoroutineProcess<M> extends CoroutineProcess implements TypedProcess<M> {
  /// The code of such a process.
  ///
  /// @param <M> of its messages
  @FunctionalInterface
  public interface Code<M> {
    /// Runs as [CoroutineProcess#run] does.
    @Nullable Object run(TypedCoroutineProcess<M> self) throws Exception;
  }

  private final Class<M> protocol;
  private final Code<M> code;

  private TypedCoroutineProcess(Class<M> protocol, Code<M> code) {
    this.protocol = Objects.requireNonNull(protocol, "protocol");
    this.code = Objects.requireNonNull(code, "code");
  }

  /// A process of a body.
  public static <M> TypedCoroutineProcess<M> of(Class<M> protocol, Code<M> code) {
    return new TypedCoroutineProcess<>(protocol, code);
  }

  @Override
  public TypedCoroutineProcess<M> reportingReady() {
    var _ = super.reportingReady();
    return this;
  }

  @Override
  public Class<M> protocol() {
    return protocol;
  }

  /// Waits for the next message of the protocol. **Suspends** when none is there.
  ///
  /// @throws dev.heddle.Cancellation when the process was ended
  public M next() {
    while (true) {
      M message = admit(receive(event -> !(event instanceof ProcessSignal)));
      if (message != null) {
        return message;
      }
    }
  }

  /// The same, for a limited time.
  ///
  /// @throws DeadlineException when nothing has come
  public M next(Duration limit) {
    long begin = System.nanoTime();
    Duration left = limit;
    while (true) {
      M message = admit(receive(event -> !(event instanceof ProcessSignal), left));
      if (message != null) {
        return message;
      }
      left = limit.minusNanos(System.nanoTime() - begin);
      left = left.isNegative() ? Duration.ZERO : left;
    }
  }

  private @Nullable M admit(@Nullable Object event) {
    Object message = event instanceof Request r && r.isTyped() ? r.message() : event;
    if (protocol.isInstance(message)) {
      return protocol.cast(message);
    }
    context().runtime().events().unhandled(event, context().self(), protocol);
    return null;
  }

  @Override
  protected @Nullable Object run(@Nullable Object input) throws Exception {
    return code.run(this);
  }
}
