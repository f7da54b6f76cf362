// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.mutants;

import static org.junit.platform.engine.FilterResult.includedIf;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// The program of a JVM that runs tests under one mutant after the other, each in a class loader of
/// its own: JUnit and the JDK stay warm, Heddle starts afresh.
///
/// In: a line with the class path of Heddle and its tests, empty where the JVM has them on its own
/// class path; a line with tests (`package.Type#method`, apart by spaces). Out: `@begin TEST`, then
/// `@ok TEST`, `@skipped TEST` or `@failed TEST`, for each as it goes; then `@done`.
final class TestWorker implements TestExecutionListener {
  private static final PrintStream OUT = System.out;
  private static final String DRIVERS =
      "META-INF/services/dev.heddle.reactor.driver.DriverProvider";

  private final String[] tests;

  private TestWorker(String[] tests) {
    this.tests = tests;
  }

  /// Works until its input ends.
  public static void main(String[] args) throws IOException {
    System.setOut(System.err); // what tests print is not for who reads the verdicts
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path = in.readLine(); path != null; path = in.readLine()) {
      String tests = in.readLine();
      System.setProperty("heddle.classes", ofChildren(path));
      new TestWorker(tests.split(" ")).run(path);
      tell("done", "");
    }
    System.exit(0); // coroutines of a mutant may be stuck on platform threads
  }

  private void run(String path) throws IOException {
    Thread self = Thread.currentThread();
    ClassLoader before = self.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(urls(path), before)) {
      self.setContextClassLoader(loader);
      LauncherFactory.create().execute(request(loader), this);
    } finally {
      self.setContextClassLoader(before);
    }
  }

  /// Where tests find the core for JVMs of their own: the mutated classes first. Without the
  /// drivers of another module, as in the core's own tests: those JVMs do not have its libraries.
  private static String ofChildren(String path) {
    return Stream.of(path.split(File.pathSeparator))
        .filter(entry -> !hasDrivers(entry))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean hasDrivers(String entry) {
    try (URLClassLoader only = new URLClassLoader(urls(entry), null)) {
      return only.findResource(DRIVERS) != null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URL[] urls(String path) throws MalformedURLException {
    if (path.isEmpty()) {
      return new URL[0];
    }
    String[] entries = path.split(File.pathSeparator);
    URL[] urls = new URL[entries.length];
    for (int i = 0; i < entries.length; i++) {
      urls[i] = Path.of(entries[i]).toUri().toURL();
    }
    return urls;
  }

  private LauncherDiscoveryRequest request(ClassLoader loader) {
    Set<String> types = new LinkedHashSet<>();
    Set<String> wanted = Set.of(tests);
    for (String test : tests) {
      types.add(test.substring(0, test.indexOf('#')));
    }
    PostDiscoveryFilter named =
        found -> {
          String name = name(found);
          return includedIf(name == null || wanted.contains(name));
        };
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(types.stream().map(type -> type(loader, type)).toList())
        .filters(named)
        .build();
  }

  private static ClassSelector type(ClassLoader loader, String name) {
    return DiscoverySelectors.selectClass(loader, name);
  }

  private static String name(TestDescriptor found) {
    return found.getSource().map(s -> s instanceof MethodSource m ? name(m) : null).orElse(null);
  }

  private static String name(MethodSource method) {
    return method.getClassName() + "#" + method.getMethodName();
  }

  private static void tell(String what, String test) {
    OUT.println("@" + what + " " + test);
    OUT.flush();
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest() && test.getSource().orElse(null) instanceof MethodSource method) {
      tell("begin", name(method));
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.getSource().orElse(null) instanceof MethodSource method) {
      String verdict =
          switch (result.getStatus()) {
            case SUCCESSFUL -> "ok";
            case ABORTED -> "skipped"; // by an assumption: not on this driver, or system
            case FAILED -> "failed";
          };
      tell(verdict, name(method));
    }
  }
}
