// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tally;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.util.List;
import java.util.concurrent.Semaphore;

/// Processes that all send to one, which has room for what they send in a burst.
public final class FanIn extends Resident {
  private static final int CHUNK = 100; // messages in a step: some microseconds
  private static final StartOptions ROOMY =
      StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT);
  private static final String GO = "go";
  private static final String ITEM = "item";

  private final int senders;
  private final int burst;

  /// A program in which so many send `burst` messages each before they wait for the receiver.
  public FanIn(int senders, int burst) {
    this.senders = senders;
    this.burst = burst;
  }

  @Override
  public Sample round(long operations) throws Exception {
    int together = senders * burst;
    long bursts = Math.max(1, operations / together);
    var tally = new Tally(0);
    var drained = new Semaphore(0);
    Pid receiver = runtime.spawn(new Receiver(together, drained, tally), ROOMY);
    List<Pid> sending = spawn(senders, _ -> new Sender(receiver, burst));
    var meter = new Meter();
    meter.start();
    for (long i = 0; i < bursts; i++) {
      sending.forEach(sender -> runtime.send(sender, GO));
      drained.acquire();
    }
    Sample sample = meter.stop(bursts * together);
    terminate(sending);
    terminate(List.of(receiver));
    tally.check("received", bursts * together);
    return sample;
  }

  private static final class Sender extends Actor {
    private final Pid receiver;
    private final int burst;
    private int left;

    Sender(Pid receiver, int burst) {
      this.receiver = receiver;
      this.burst = burst;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      left += burst * events.size();
      int now = Math.min(left, CHUNK);
      for (int i = 0; i < now; i++) {
        context().send(receiver, ITEM);
      }
      left -= now;
      if (left > 0) {
        out.continueNow();
      }
    }
  }

  private static final class Receiver extends Actor {
    private final int together;
    private final Semaphore drained;
    private final Tally tally;
    private long received;

    Receiver(int together, Semaphore drained, Tally tally) {
      this.together = together;
      this.drained = drained;
      this.tally = tally;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent _ : events) {
        if (++received % together == 0) {
          drained.release();
        }
      }
    }

    @Override
    public void close() {
      tally.add(received);
    }
  }
}
