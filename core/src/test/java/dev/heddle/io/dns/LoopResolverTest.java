// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.conformance.Aspect;
import dev.heddle.io.conformance.Proves;
import dev.heddle.io.conformance.Shows;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Look-ups beside the loop, with a system resolver that answers when the test lets it.
@Tag("T13.5")
@Timeout(300)
@Proves("host names")
class LoopResolverTest {
  private static final LookupPolicy ANY =
      LookupPolicy.of(LookupPolicy.IPV4 | LookupPolicy.IPV6 | LookupPolicy.IPV4_FIRST);

  /// Answers `10.0.0.1` to everything but `unknown`, on whatever thread asks.
  private static final class SlowSystem implements InetAddressResolver {
    private final CountDownLatch asked;
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();

    SlowSystem(int questions) {
      asked = new CountDownLatch(questions);
    }

    @Override
    public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
        throws UnknownHostException {
      answer();
      if (host.equals("unknown")) {
        throw new UnknownHostException(host);
      }
      return Stream.of(InetAddress.getByAddress(host, new byte[] {10, 0, 0, 1}));
    }

    @Override
    public String lookupByAddress(byte[] address) {
      answer();
      return "ten";
    }

    private void answer() {
      synchronized (threads) {
        threads.add(Thread.currentThread());
      }
      asked.countDown();
      boolean answered = false;
      while (!answered) {
        try {
          mayAnswer.await();
          answered = true;
        } catch (InterruptedException e) {
          // a name server does not hear it either
        }
      }
    }
  }

  private final SlowSystem system = new SlowSystem(1);
  private final LoopResolver resolver = new LoopResolver(system, () -> null);

  private String address(String host) throws UnknownHostException {
    return resolver.lookupByName(host, ANY).findFirst().orElseThrow().getHostAddress();
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void lookup_thatTakesItsTime_suspendsOnlyItsCoroutine() {
    Heddle.run(() -> {
      Coroutine<String> looking = Heddle.spawn(() -> address("ten"));
      while (system.asked.getCount() > 0) {
        Heddle.yieldNow(); // goes on beside it, or this loop never ends
      }
      system.mayAnswer.countDown();
      assertThat(looking.await()).isEqualTo("10.0.0.1");
    });
    assertThat(system.threads).hasSize(1);
    assertThat(system.threads.getFirst().getName()).contains("-lookup-");
  }

  @Test
  void reverseLookup_thatTakesItsTime_suspendsOnlyItsCoroutine() {
    Heddle.run(() -> {
      Coroutine<String> looking =
          Heddle.spawn(() -> resolver.lookupByAddress(new byte[] {10, 0, 0, 1}));
      while (system.asked.getCount() > 0) {
        Heddle.yieldNow();
      }
      system.mayAnswer.countDown();
      assertThat(looking.await()).isEqualTo("ten");
    });
  }

  @Test
  void lookup_ofAnUnknownHost_throwsWhatTheSystemThrew() {
    system.mayAnswer.countDown();
    Heddle.run(() ->
        assertThatThrownBy(() -> resolver.lookupByName("unknown", ANY))
            .isInstanceOf(UnknownHostException.class)
            .hasMessage("unknown"));
  }

  @Test
  @Shows(Aspect.CANCEL)
  void lookup_whoseCoroutineIsCancelled_isNotWaitedFor() {
    Heddle.run(() -> {
      Coroutine<String> looking = Heddle.spawn(() -> address("ten"));
      while (system.asked.getCount() > 0) {
        Heddle.yieldNow();
      }
      looking.cancel("enough");
      assertThatThrownBy(looking::await).isInstanceOf(Cancellation.class);
      system.mayAnswer.countDown();
    });
  }

  @Test
  @Tag("trap-34")
  void offloadedCalls_thatHang_holdNoLookup() {
    int most = 80; // more than offloaded calls have threads
    CountDownLatch released = new CountDownLatch(1);
    system.mayAnswer.countDown();
    Heddle.run(() -> {
      Heddle.scope(s -> {
        for (int i = 0; i < most; i++) {
          s.spawn(() ->
              Heddle.<Boolean>offload(() -> {
                released.await();
                return true;
              }));
        }
        Heddle.yieldNow();
        assertThat(address("ten")).isEqualTo("10.0.0.1");
        released.countDown();
        return null;
      });
    });
  }

  @Test
  @Tag("trap-34")
  void lookups_thatHang_holdNoOffloadedCall() {
    int most = 40; // more than look-ups have threads
    Heddle.run(() -> {
      Heddle.scope(s -> {
        for (int i = 0; i < most; i++) {
          String host = "host" + i;
          s.spawn(() -> address(host));
        }
        while (system.asked.getCount() > 0) {
          Heddle.yieldNow();
        }
        assertThat(Heddle.offload(() -> "done")).isEqualTo("done");
        system.mayAnswer.countDown();
        return null;
      });
    });
    assertThat(system.threads).hasSize(most);
    assertThat(system.threads.stream().distinct().count()).isLessThanOrEqualTo(16);
  }

  @Test
  void lookup_outsideOfLoops_isMadeByTheThreadThatAsks() throws Exception {
    system.mayAnswer.countDown();
    assertThat(address("ten")).isEqualTo("10.0.0.1");
    assertThat(system.threads).containsExactly(Thread.currentThread());
  }

  private static final class Pinned {
    static final List<String> FOUND = new ArrayList<>();

    static {
      SlowSystem system = new SlowSystem(1);
      system.mayAnswer.countDown();
      try {
        FOUND.add(
            new LoopResolver(system, () -> null)
                .lookupByName("ten", ANY)
                .findFirst()
                .orElseThrow()
                .getHostAddress());
      } catch (UnknownHostException e) {
        throw new AssertionError(e);
      }
    }

    static List<String> found() {
      return FOUND;
    }
  }

  @Test
  @Tag("once")
  void lookup_insideAClassInitialiser_isMadeThere() {
    Heddle.run(() -> assertThat(Pinned.found()).containsExactly("10.0.0.1"));
  }
}
