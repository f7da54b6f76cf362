// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// Tokens go round in rings of steps and bodies.
///
/// *Invariant*: each token is in one place, its hops count up by one, and all come home. Whoever
/// has it sees what the one before has written.
final class Rings extends World {
  private static final int RINGS = 8;
  private static final int LENGTH = 30;
  private static final int TOKENS = 4; // in each ring
  private static final long ENOUGH = 200_000; // hops

  private final AtomicReferenceArray<Pid> places = new AtomicReferenceArray<>(RINGS * LENGTH);
  private final AtomicInteger home = new AtomicInteger();

  // whoever has the token: handed over with it
  private final long[] hops = new long[RINGS * TOKENS];

  private record Token(int ring, int number, long hop) {}

  Rings(Round round) {
    super(round, "rings", ENOUGH);
  }

  @Override
  void begin() {
    Random random = random();
    for (int ring = 0; ring < RINGS; ring++) {
      for (int at = 0; at < LENGTH; at++) {
        Process process = (ring + at) % 3 == 0 ? body(at) : step(at);
        places.set(ring * LENGTH + at, spawn(process, options(random)));
      }
      for (int token = 0; token < TOKENS; token++) {
        runtime().send(places.get(ring * LENGTH), new Token(ring, token, 1));
      }
    }
  }

  private Process step(int at) {
    return Actor.of((self, events, _) -> {
      for (ProcessEvent event : events) {
        pass(self, at, (Token) event.data());
      }
    });
  }

  private Process body(int at) {
    Random random = random();
    return CoroutineProcess.of(self -> {
      while (true) {
        pass(self.context(), at, self.receive(Token.class));
        switch (random.nextInt(1_000)) {
          case 0 -> Thread.sleep(1);
          case 1 -> self.sleep(Duration.ofNanos(1_000));
          case 2, 3, 4, 5, 6, 7, 8, 9 -> Thread.yield();
          default -> {
            // it goes on at once
          }
        }
      }
    });
  }

  private void pass(ProcessContext self, int at, Token token) {
    int index = token.ring * TOKENS + token.number;
    long before = hops[index];
    check(token.hop == before + 1, () -> token + " comes behind hop " + before);
    hops[index] = token.hop;
    if (at == 0 && !goesOn()) {
      home.incrementAndGet();
      return;
    }
    did();
    Pid next = places.get(token.ring * LENGTH + (at + 1) % LENGTH);
    self.send(next, new Token(token.ring, token.number, token.hop + 1));
  }

  @Override
  void end() throws InterruptedException {
    await("all tokens to come home", () -> home.get() >= RINGS * TOKENS);
    check(home.get() == RINGS * TOKENS, () -> home + " tokens have come home");
    for (int i = 0; i < places.length(); i++) {
      terminate(places.get(i));
    }
  }
}
