// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.DeadlineException;
import dev.heddle.process.event.DeadLetter;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A process of sequential code that receives messages of one class.
///
/// ```java
/// Ref<Message> counter = runtime.spawn(TypedCoroutineProcess.of(Message.class, self -> {
///   int total = 0;
///   while (true) {
///     switch (self.next()) {
///       case Add(int amount) -> total += amount;
///       case Total(Reply<Integer> reply) -> reply.complete(total);
///     }
///   }
/// }));
/// ```
///
/// [#next] skips signals, which stay for `receive(ProcessSignal.class)`. A message of another class
/// becomes a [DeadLetter], `UNHANDLED`; an `ask` with it fails.
///
/// @param <M> the class of its messages
/// @since 0.1
public final class TypedCoroutineProcess<M> extends CoroutineProcess implements TypedProcess<M> {
  /// The code of such a process.
  ///
  /// @param <M> the class of its messages
  @FunctionalInterface
  public interface Code<M> {
    /// Runs like [CoroutineProcess#run].
    @Nullable Object run(TypedCoroutineProcess<M> self) throws Exception;
  }

  private final Class<M> protocol;
  private final Code<M> code;

  private TypedCoroutineProcess(Class<M> protocol, Code<M> code) {
    this.protocol = Objects.requireNonNull(protocol, "protocol");
    this.code = Objects.requireNonNull(code, "code");
  }

  /// Creates a process from its code.
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
  /// @throws dev.heddle.Cancellation when the process was ended from outside
  public M next() {
    while (true) {
      M message = admit(receive(event -> !(event instanceof ProcessSignal)));
      if (message != null) {
        return message;
      }
    }
  }

  /// The same, with a time limit.
  ///
  /// @throws DeadlineException when no message came in time
  public M next(Duration limit) {
    long begin = context().runtime().nanoTime();
    Duration left = limit;
    while (true) {
      M message = admit(receive(event -> !(event instanceof ProcessSignal), left));
      if (message != null) {
        return message;
      }
      left = limit.minusNanos(context().runtime().nanoTime() - begin);
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
