// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.reactor.driver.ReactorDriver;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// When a handler looks, and in which order it and its guest end.
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IoHandlerAdapterTest {
  private final List<String> seen = new ArrayList<>();
  private final Guests guest = new Guests();
  private long now = 5;
  private ThreadAwareExecutor executor; // the handler's
  private final IoHandlerAdapter handler =
      new IoHandlerAdapter(thread -> false, Looks::new, () -> now);

  private final class Looks implements IoHandler {
    Looks(ThreadAwareExecutor given) {
      executor = given;
    }

    @Override
    public int run(IoHandlerContext context) {
      seen.add("look");
      return 0;
    }

    @Override
    public void prepareToDestroy() {
      seen.add("prepareToDestroy");
    }

    @Override
    public void destroy() {
      seen.add("destroy");
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {
      seen.add("wakeup");
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return true;
    }
  }

  private final class Guests implements EmbeddedEventLoop {
    boolean behind;

    @Override
    public boolean requestTurn() {
      return false;
    }

    @Override
    public long deadlineNanos() {
      return ReactorDriver.NO_DEADLINE;
    }

    @Override
    public boolean hasTasks() {
      return false;
    }

    @Override
    public boolean isArmed() {
      return true;
    }

    @Override
    public boolean hasUndelivered() {
      return behind;
    }

    @Override
    public void abandon() {
      seen.add("abandon");
    }

    @Override
    public void end() {
      seen.add("end");
      handler.wakeup();
    }
  }

  private void lookOnce() {
    handler.turn(ReactorDriver.NO_WAIT);
  }

  private void host() {
    handler.open();
    handler.embed(guest);
  }

  @Test
  void guestThatIsBehind_handsOnItsRestBeforeTheNextLook() {
    host();
    lookOnce();
    guest.behind = true;
    lookOnce();
    assertThat(seen).containsExactly("look");
    guest.behind = false;
    lookOnce();
    assertThat(seen).containsExactly("look", "look");
  }

  @Test
  void guestThatIsBehindForLong_doesNotKeepTheDriverFromLooking() {
    host();
    guest.behind = true;
    lookOnce();
    now += 9_999_999;
    lookOnce();
    assertThat(seen).isEmpty();
    now++;
    lookOnce();
    assertThat(seen).containsExactly("look");
  }

  @Test
  void close_letsTheHandlerGoBetweenTheTwoStepsOfTheEmbeddedLoop_andWakesItNoMore() {
    host();
    handler.close();
    assertThat(seen).containsExactly("abandon", "prepareToDestroy", "destroy", "end");
    assertThat(handler.embedded()).isNull();
  }

  @Test
  void close_givesTheHandlerWhatItWasAskedFor_beforeTheEmbeddedLoopEndsIt() {
    host();
    executor.execute(() -> seen.add("what the guest has submitted"));
    handler.close();
    assertThat(seen).containsSubsequence("what the guest has submitted", "abandon", "end");
  }
}
