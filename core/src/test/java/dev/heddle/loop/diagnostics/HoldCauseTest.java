// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.HoldReport.Activity;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a stack says about a hold. Each is the innermost part of one that was seen.
@Tag("once")
@Tag("T22")
class HoldCauseTest {
  private static final String PROGRAM = "shop.Main.run";

  private static StackTraceElement frame(String words) {
    boolean isNative = words.startsWith("native ");
    String name = isNative ? words.substring("native ".length()) : words;
    int dot = name.lastIndexOf('.');
    return new StackTraceElement(
        name.substring(0, dot), name.substring(dot + 1), null, isNative ? -2 : 1);
  }

  private static HoldCause running(String... frames) {
    return HoldCause.of(stack(frames), false);
  }

  private static HoldCause waiting(String... frames) {
    return HoldCause.of(stack(frames), true);
  }

  private static StackTraceElement[] stack(String... frames) {
    return Arrays.stream(frames).map(HoldCauseTest::frame).toArray(StackTraceElement[]::new);
  }

  @Test
  void classThatIsLoaded_isNeitherANativeMethodNorAFile() {
    HoldCause inflating =
        running(
            "native java.util.zip.Inflater.inflateBytesBytes",
            "java.util.zip.InflaterInputStream.read",
            "jdk.internal.loader.Resource.getBytes",
            "jdk.internal.loader.BuiltinClassLoader.defineClass",
            "java.lang.ClassLoader.loadClass",
            PROGRAM);
    assertThat(inflating).isEqualTo(new HoldCause(Activity.LOADING, false, false));
    HoldCause reading =
        running(
            "native java.io.RandomAccessFile.readBytes",
            "acme.boot.PackedLoader.findClass",
            "java.lang.ClassLoader.loadClass",
            PROGRAM);
    assertThat(reading.activity()).isEqualTo(Activity.LOADING);
  }

  @Test
  void nativeLibrary_isLoaded_forEveryCaller() {
    HoldCause cause =
        running(
            "native jdk.internal.loader.NativeLibraries.load",
            "java.lang.Runtime.loadLibrary0",
            "io.netty.util.internal.NativeLibraryUtil.loadLibrary",
            "dev.heddle.netty.uring.UringProvider.open",
            PROGRAM);
    assertThat(cause.activity()).isEqualTo(Activity.LOADING);
    assertThat(cause.isStartUp()).isTrue();
  }

  @Test
  void initialiser_isOfTheProgram_orOfTheRuntime() {
    assertThat(running("java.util.Random.next", "shop.Prices.<clinit>", PROGRAM))
        .isEqualTo(new HoldCause(Activity.INITIALISING, false, true));
    HoldCause probe =
        running(
            "native io.netty.channel.uring.Native.setup",
            "dev.heddle.netty.uring.UringProvider$Probe.<clinit>",
            "dev.heddle.netty.uring.UringProvider.problem",
            PROGRAM);
    assertThat(probe).isEqualTo(new HoldCause(Activity.INITIALISING, true, false));
    assertThat(probe.isStartUp()).isTrue();
  }

  @Test
  void linkingOfACall_isNoComputation() {
    HoldCause cause =
        running(
            "jdk.internal.foreign.abi.BindingSpecializer.specialize",
            "jdk.internal.foreign.abi.AbstractLinker.downcallHandle",
            "dev.heddle.netty.unix.SocketCalls$Call.link",
            PROGRAM);
    assertThat(cause).isEqualTo(new HoldCause(Activity.LINKING, true, false));
    assertThat(running("java.lang.invoke.MethodHandleNatives.linkCallSite", PROGRAM).activity())
        .isEqualTo(Activity.LINKING);
  }

  @Test
  void programThatWasCalledByAHandle_computes() {
    HoldCause cause =
        running(PROGRAM, "java.lang.invoke.MethodHandles$Lookup.found", "shop.Main.main");
    assertThat(cause.activity()).isEqualTo(Activity.COMPUTING);
  }

  @Test
  void quickNativeMethod_isAComputation_thatWasSeenInIt() {
    for (String quick :
        new String[] {
          "native java.lang.System.nanoTime",
          "native java.lang.Thread.yield0",
          "native java.lang.Object.notify",
          "native jdk.internal.misc.Unsafe.park"
        }) {
      assertThat(running(quick, PROGRAM).activity()).as(quick).isEqualTo(Activity.COMPUTING);
    }
  }

  @Test
  void slowNativeMethod_isOfTheProgram_orOfTheRuntime() {
    assertThat(running("native acme.Device.read", PROGRAM).activity()).isEqualTo(Activity.NATIVE);
    assertThat(running("native java.lang.ProcessImpl.forkAndExec", PROGRAM).activity())
        .isEqualTo(Activity.NATIVE);
    assertThat(
            running(
                    "native sun.nio.ch.Net.bind0",
                    "dev.heddle.reactor.jdk.JdkListener.bind",
                    PROGRAM)
                .activity())
        .isEqualTo(Activity.RUNTIME);
    assertThat(running("native java.io.FileInputStream.readBytes", PROGRAM).activity())
        .isEqualTo(Activity.FILE);
    assertThat(running("native java.net.Inet6AddressImpl.lookupAllHostAddr", PROGRAM).activity())
        .isEqualTo(Activity.HOST_LOOKUP);
  }

  @Test
  void waitBelowAnInitialiser_isPinned_butNotWhileTheJvmLoads() {
    assertThat(waiting("java.util.concurrent.CountDownLatch.await", "shop.A.<clinit>").activity())
        .isEqualTo(Activity.PINNED);
    assertThat(
            waiting(
                    "java.lang.ClassLoader.getClassLoadingLock",
                    "java.lang.ClassLoader.loadClass",
                    PROGRAM)
                .activity())
        .isEqualTo(Activity.LOADING);
  }

  @Test
  void objectWait_thatNothingPins_isKeptByTheJdk() {
    String waits = "native java.lang.Object.wait0";
    assertThat(waiting(waits, "java.lang.Object.wait", PROGRAM).activity())
        .isEqualTo(Activity.MONITOR);
    assertThat(
            waiting(waits, "java.lang.Object.wait", "native acme.Device.call", PROGRAM).activity())
        .isEqualTo(Activity.PINNED);
    assertThat(waiting(waits, "java.lang.Object.wait", "shop.A.<clinit>", PROGRAM).activity())
        .isEqualTo(Activity.PINNED);
  }
}
