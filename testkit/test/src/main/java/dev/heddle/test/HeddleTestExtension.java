// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/// Makes an invocation for each seed of a [HeddleTest], and refuses its values without effect.
final class HeddleTestExtension implements TestTemplateInvocationContextProvider {
  HeddleTestExtension() {}

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return find(context).isPresent();
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    HeddleTest test = find(context).orElseThrow();
    refuseWithoutEffect(test, context.getRequiredTestMethod());
    if (test.time() == HeddleTest.Time.REAL) {
      return Stream.of(new RealTimeInvocation());
    }
    return new SeedInvocations(options(test)).stream();
  }

  private static Optional<HeddleTest> find(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestMethod(), HeddleTest.class);
  }

  private static void refuseWithoutEffect(HeddleTest test, Method on) {
    ChangedValues changed = new ChangedValues(test, on);
    if (test.time() == HeddleTest.Time.REAL) {
      changed.refuseAllBut("time", "with time = REAL: it runs once, on an ordinary loop");
    }
    if (test.strategy() != HeddleTest.Order.PCT) {
      changed.refuse(List.of("depth"), "without strategy = PCT");
    }
    if (test.strategy() == HeddleTest.Order.EXHAUSTIVE) {
      changed.refuse(
          List.of("spuriousWakeUps", "stalls"),
          "with strategy = EXHAUSTIVE, which does not enumerate them");
    } else {
      changed.refuse(List.of("preemptions"), "without strategy = EXHAUSTIVE");
    }
    if (test.strategy() == HeddleTest.Order.FIFO) {
      changed.refuse(List.of("seeds"), "with strategy = FIFO: it runs once");
    }
  }

  private static SimulationOptions options(HeddleTest test) {
    Strategy strategy =
        switch (test.strategy()) {
          case RANDOM_WALK -> Strategy.randomWalk();
          case PCT -> Strategy.pct(test.depth());
          case EXHAUSTIVE -> Strategy.exhaustive(test.seeds(), test.preemptions());
          case FIFO -> Strategy.fifo();
        };
    if (test.stalls() != 0) {
      strategy = strategy.withStalls(test.stalls());
    }
    if (test.spuriousWakeUps() != 0) {
      strategy = strategy.withSpuriousWakeUps(test.spuriousWakeUps());
    }
    SimulationOptions options =
        SimulationOptions.defaults()
            .withSeed(test.seed())
            .withSeeds(test.strategy() == HeddleTest.Order.FIFO ? 1 : test.seeds())
            .withStrategy(strategy);
    if (test.freshClasses().length > 0) {
      options = options.withFreshClasses(test.freshClasses());
    }
    if (test.agent()) {
      options = options.withAgent();
    }
    return test.schedule().equals(HeddleTest.BY_STRATEGY)
        ? options
        : options.withSchedule(test.schedule()).withSeeds(1);
  }
}
