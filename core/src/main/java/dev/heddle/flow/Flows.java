// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import dev.heddle.event.EventStream;
import dev.heddle.sync.Channel;
import java.util.Objects;
import java.util.concurrent.Flow;

/// Bridges between coroutines and Reactive Streams: Reactor, RxJava, Mutiny, the JDK's HTTP client,
/// whatever speaks [Flow].
///
/// | from | to | |
/// |---|---|---|
/// | [Channel] | publisher | [#publisher(Channel)] |
/// | [EventStream] | publisher | [#publisher(EventStream)] |
/// | code that sends | publisher | [#publisher(Producer)] |
/// | publisher | [Channel] | [#channel(Flow.Publisher, int)] |
/// | publisher | [EventStream] | [#stream(Flow.Publisher, int)] |
///
/// {@snippet class=dev.heddle.snippets.FlowSnippetsTest region=channel}
///
/// **A publisher** may be subscribed to from any thread. Each subscription is a coroutine, a member
/// of the scope in which the publisher was made; that scope waits for it. On the loop it is a
/// member when `subscribe` returns, so a subscription may be the last act of a scope. One from
/// another thread that comes when the scope has ended fails.
///
/// The coroutine sends an item when the subscriber has requested one, and suspends meanwhile. It
/// calls the subscriber's methods on the loop, where they may wait, but should not compute for
/// long. A subscriber that throws is logged and gets nothing more. When the scope is cancelled,
/// subscribers get the [dev.heddle.Cancellation], also when the source was interrupted in a wait of
/// the JDK. When the loop has ended, they get a [dev.heddle.LoopEndedException]: on a thread of its
/// own, or after `onNext` has returned. A subscriber that cancels gets nothing, and nothing is
/// logged, unless the source fails for another reason.
///
/// **A channel or a stream of a publisher** may get its items from any thread. A background member
/// of the current scope hands them over; it ends with that scope at the latest, which cancels the
/// subscription.
///
/// Verified by the TCK of Reactive Streams 1.0.4.
///
/// **Thread** the loop's; the publishers any.
///
/// @since 0.1
public final class Flows {
  private Flows() {}

  /// Publishes the items of a channel. Each item goes to one of the subscribers. An item is
  /// received when it was requested, so a subscriber that cancels leaves the others in the channel.
  ///
  /// A subscriber completes when the channel is closed and nothing is left in it, also without a
  /// request, whichever receiver took the last item. If it was closed with a failure, the
  /// subscriber gets that failure; if it was cancelled, the [dev.heddle.ChannelClosedException].
  ///
  /// @throws IllegalStateException outside a coroutine
  public static <T> Flow.Publisher<T> publisher(Channel<T> channel) {
    Objects.requireNonNull(channel, "channel");
    return new LoopPublisher<>("a publisher of a channel", Emission.of(channel));
  }

  /// Publishes the items of a stream, for one subscriber at a time; a second one fails. The stream
  /// stays open when the subscriber cancels.
  ///
  /// The subscriber completes when the stream is closed, also without a request. It fails when the
  /// event fails, and with an [dev.heddle.EventsLostException] when events were lost; a new
  /// subscription goes on after the gap.
  ///
  /// @throws IllegalStateException outside a coroutine
  public static <T> Flow.Publisher<T> publisher(EventStream<T> stream) {
    Objects.requireNonNull(stream, "stream");
    return new LoopPublisher<>("a publisher of a stream", Emission.of(stream));
  }

  /// Publishes what `producer` sends. It runs anew for each subscriber, in the coroutine of that
  /// subscription, and is cancelled when the subscriber cancels.
  ///
  /// {@snippet class=dev.heddle.snippets.FlowSnippetsTest region=producer}
  ///
  /// @throws IllegalStateException outside a coroutine
  public static <T> Flow.Publisher<T> publisher(Producer<T> producer) {
    Objects.requireNonNull(producer, "producer");
    return new LoopPublisher<>("a publisher", producer::produce);
  }

  /// Subscribes to a publisher, and opens a channel of what it emits.
  ///
  /// The channel is closed when the publisher completes, and closed with the failure when it fails,
  /// or when one of its items could not be taken. Close or cancel the channel to cancel the
  /// subscription.
  ///
  /// @param prefetch the most items that are requested and not yet received, at least 1; more are
  ///   requested each time that a part of them was received
  /// @throws IllegalStateException outside a coroutine
  public static <T> Channel<T> channel(Flow.Publisher<? extends T> publisher, int prefetch) {
    Objects.requireNonNull(publisher, "publisher");
    check(prefetch);
    // one half waits in the channel, the other half is on its way
    Channel<T> channel = Channel.of(prefetch / 2);
    new ChannelInflow<>(channel, prefetch - prefetch / 2).begin(publisher);
    return channel;
  }

  /// Subscribes to a publisher, and opens a stream of what it emits.
  ///
  /// The publisher is not slowed down: items that come while the stream is full are lost, as told
  /// by an [dev.heddle.EventsLostException]. Use a [channel][#channel(Flow.Publisher, int)] to lose
  /// none. The stream ends when the publisher completes, and fails when it fails. Close the stream
  /// to cancel the subscription.
  ///
  /// @param capacity how many items it holds, at least 1
  /// @throws IllegalStateException outside a coroutine
  public static <T> EventStream<T> stream(Flow.Publisher<? extends T> publisher, int capacity) {
    Objects.requireNonNull(publisher, "publisher");
    check(capacity);
    StreamInflow<T> inflow = new StreamInflow<>(capacity);
    inflow.begin(publisher);
    return inflow.stream();
  }

  private static void check(int items) {
    if (items < 1) {
      throw new IllegalArgumentException(
          "a subscriber requests at least one item at a time, not " + items);
    }
  }
}
