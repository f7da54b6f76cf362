// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import dev.heddle.sync.ChannelProgram.End;
import dev.heddle.sync.ChannelProgram.Met;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random programs ([ChannelProgram]) of channels of each kind, with limits and without.
/// `-Dheddle.seed=N` repeats one.
@Tag("trap-1")
@Tag("trap-2")
@Tag("trap-3")
@Tag("trap-4")
@Timeout(300)
class ChannelModelTest {
  private static final int PROGRAMS = 10_000;
  private static final int KINDS = 5; // capacity 0, 1, 2, without a limit, conflated
  private static final List<End> ENDS = List.of(End.values());

  @Test
  void randomPrograms_loseNothingAndDoubleNothing() {
    Long only = Long.getLong("heddle.seed");
    long first = only == null ? 0 : only;
    long last = only == null ? PROGRAMS : only + 1;
    Met met = new Met();
    for (long seed = first; seed < last; seed++) {
      int kind = (int) (seed % KINDS);
      End end = ENDS.get((int) (seed / KINDS % ENDS.size()));
      ChannelProgram.run(seed, end, () -> new Real(kind, end), met);
    }
    if (only == null) {
      verifyNotVacuous(met);
    }
  }

  private static void verifyNotVacuous(Met met) {
    assertThat(met.handedOn).as("handed on").isGreaterThan(PROGRAMS / 20);
    assertThat(met.sentThoughEnded).as("sent though ended").isGreaterThan(PROGRAMS / 50);
    assertThat(met.ordered).as("ordered").isGreaterThan(PROGRAMS / 10);
    assertThat(met.stuck).as("stuck").isGreaterThan(PROGRAMS / 10);
    assertThat(met.stopped).as("stopped").isGreaterThan(PROGRAMS / 50);
    assertThat(met.cancelledWithGiven).as("cancelled with given").isGreaterThan(PROGRAMS / 1000);
    assertThat(met.beyond).as("beyond the capacity").isPositive();
  }

  private static final class Real implements ChannelPipe {
    private final Channel<Integer> channel;
    private final int kind;

    Real(int kind, End end) {
      this.kind = kind;
      this.channel =
          kind == 4 ? Channel.conflated() : kind == 3 ? Channel.unlimited() : Channel.of(kind);
      switch (end) {
        case CLOSE -> {}
        case LIMIT -> channel.closeWhenStuck(ChannelProgram.LIMIT);
        case DEADLOCK -> channel.closeOnDeadlock(ChannelProgram.LIMIT);
      }
    }

    @Override
    public void send(int item) {
      channel.send(item);
    }

    @Override
    public void send(int item, Deadline deadline) {
      channel.send(item, deadline);
    }

    @Override
    public void send(int item, Awaitable<?> token) {
      channel.send(item, token);
    }

    @Override
    public int receive() {
      return channel.receive();
    }

    @Override
    public int receive(Deadline deadline) {
      return channel.receive(deadline);
    }

    @Override
    public int receive(Awaitable<?> token) {
      return channel.receive(token);
    }

    @Override
    public boolean trySend(int item) {
      return channel.trySend(item);
    }

    @Override
    public @Nullable Integer tryReceive() {
      return channel.tryReceive();
    }

    @Override
    public Future<Integer> receiveAsync() {
      return channel.receiveAsync();
    }

    @Override
    public void close() {
      channel.close();
    }

    @Override
    public void cancel(Consumer<Integer> leftover) {
      channel.cancel(leftover);
    }

    @Override
    public boolean isClosed() {
      return channel.isClosed();
    }

    @Override
    public int size() {
      return channel.size();
    }

    @Override
    public int limit() {
      return channel.capacity();
    }

    @Override
    public boolean isConflated() {
      return kind == 4;
    }

    @Override
    public boolean hasSender() {
      return channel.hasSender();
    }

    @Override
    public boolean hasReceiver() {
      return channel.hasReceiver();
    }

    @Override
    public boolean servesThoseThatLeave() {
      return false;
    }

    @Override
    public String info() {
      return channel.info();
    }
  }
}
