// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the JVM does once, in the first run of a program: that is outside of the simulation, so
/// that the first run goes as the others.
public final class LinkingTest {
  private static final List<@Nullable World> SEEN = new ArrayList<>();

  @Test
  @Tag("sim-1")
  void classLoading_isOutside() throws Exception {
    List<@Nullable World> seen = new ArrayList<>();
    ClassLoader loader =
        new ClassLoader() {
          @Override
          protected Class<?> findClass(String name) throws ClassNotFoundException {
            seen.add(OpenWorld.current());
            throw new ClassNotFoundException(name);
          }
        };
    FifoWorld.run(() -> {
      try {
        return Class.forName("no.such.Program", false, loader);
      } catch (ClassNotFoundException e) {
        seen.add(OpenWorld.current());
        return e;
      }
    });
    assertThat(seen).hasSize(2);
    assertThat(seen.getFirst()).isNull();
    assertThat(seen.getLast()).isNotNull();
  }

  @Test
  @Tag("sim-1")
  void linking_isOutside() throws Exception {
    SEEN.clear();
    Class<?> program = MethodHandles.lookup().defineClass(linkedProgram());
    FifoWorld.run(() -> program.getMethod("run").invoke(null));
    assertThat(SEEN).containsExactly(null, null); // the call site, the constant
  }

  /// The bootstrap method of a call site.
  public static CallSite callSite(MethodHandles.Lookup in, String name, MethodType type) {
    SEEN.add(OpenWorld.current());
    return new ConstantCallSite(MethodHandles.empty(type));
  }

  /// The bootstrap method of a constant.
  public static Object constant(MethodHandles.Lookup in, String name, Class<?> type) {
    SEEN.add(OpenWorld.current());
    return "constant";
  }

  // its method calls the call site, and loads the constant
  private static byte[] linkedProgram() {
    DirectMethodHandleDesc callSite =
        bootstrap("callSite", ConstantDescs.CD_MethodType, ConstantDescs.CD_CallSite);
    DirectMethodHandleDesc constant =
        bootstrap("constant", ConstantDescs.CD_Class, ConstantDescs.CD_Object);
    MethodTypeDesc nothing = MethodTypeDesc.of(ConstantDescs.CD_void);
    return ClassFile.of()
        .build(
            ClassDesc.of("dev.heddle.world.LinkedProgram"),
            type ->
                type.withFlags(ClassFile.ACC_PUBLIC)
                    .withMethodBody(
                        "run",
                        nothing,
                        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                        code ->
                            code.invokedynamic(DynamicCallSiteDesc.of(callSite, "call", nothing))
                                .ldc(
                                    DynamicConstantDesc.ofNamed(
                                        constant, "constant", ConstantDescs.CD_Object))
                                .pop()
                                .return_()));
  }

  private static DirectMethodHandleDesc bootstrap(String name, ClassDesc of, ClassDesc gives) {
    return MethodHandleDesc.ofMethod(
        DirectMethodHandleDesc.Kind.STATIC,
        LinkingTest.class.describeConstable().orElseThrow(),
        name,
        MethodTypeDesc.of(
            gives, ConstantDescs.CD_MethodHandles_Lookup, ConstantDescs.CD_String, of));
  }
}
