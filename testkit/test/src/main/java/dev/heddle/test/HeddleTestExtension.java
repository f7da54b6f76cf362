// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/// Makes an invocation for each seed of a [HeddleTest].
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
    if (test.time() == HeddleTest.Time.REAL) {
      return Stream.of(new RealTimeInvocation());
    }
    return new SeedInvocations(test).stream();
  }

  private static Optional<HeddleTest> find(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestMethod(), HeddleTest.class);
  }
}
