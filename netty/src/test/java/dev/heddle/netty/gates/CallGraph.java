// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.gates;

import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Which of our methods may be called, on the same thread, from some of them.
final class CallGraph {
  /*
   * What a method leads to. Names are the class file's.
   *
   *   a call of our code    the method, and each that overrides it, in core and netty
   *   a call of a library   a functional or other interface: our classes and lambdas that
   *                         implement it. What a library calls back during the call is followed
   *                         by the next two lines only
   *   a lambda that is made its body, as if it were called here: by forEach, computeIfAbsent. It
   *                         is not followed when the call that takes it (found by LambdaUse) hands
   *                         it to another thread or a coroutine (TrampolineTable), or is one of
   *                         ours: then each of our calls of its interface leads there
   *   an object of ours     its methods that a type of a library declares, for the library may call
   *                         them; but not Runnables and Callables, which are mostly for other
   *                         threads, and are found where our code calls run()
   *
   * It says that too much can be reached, in these ways: any override is taken, whoever is there;
   * conditions are not looked at. It says too little where a library keeps an object that was made
   * elsewhere, and calls it on the trampoline: such methods have to be roots. Nor are toString,
   * equals and hashCode followed, nor class initialisers.
   */
  private final Map<String, Class<?>> types = new HashMap<>();
  private final Map<Method, Body> bodies = new LinkedHashMap<>();
  private final List<Lambda> kept = new ArrayList<>(); // lambdas that one of ours takes
  private final Map<Body, List<Call>> callsOf = new HashMap<>();
  private final TrampolineTable table;

  /// A method, as a class file names it.
  ///
  /// @param any whether it stands for all that override it
  record Method(String owner, String name, String descriptor, boolean any) {
    Method(String owner, String name, String descriptor) {
      this(owner, name, descriptor, false);
    }

    Method orOverrider() {
      return new Method(owner, name, descriptor, true);
    }

    /// `Class#method`, without the package and the parameters.
    String shortName() {
      return owner.substring(owner.lastIndexOf('/') + 1) + '#' + name;
    }
  }

  private record Body(ClassModel type, MethodModel method) {}

  /// @param type the interface it implements
  /// @param method of that interface
  private record Lambda(String type, String method, Method body) {}

  CallGraph(Collection<ClassModel> classes, TrampolineTable table) {
    this.table = table;
    for (ClassModel type : classes) {
      String owner = type.thisClass().asInternalName();
      types.put(owner, load(owner));
      type.methods().forEach(m -> bodies.put(method(owner, m), new Body(type, m)));
    }
    bodies.values().forEach(body -> calls(body).forEach(this::keep));
  }

  private static Method method(String owner, MethodModel method) {
    return new Method(owner, method.methodName().stringValue(), method.methodType().stringValue());
  }

  private static Class<?> load(String owner) {
    try {
      return Class.forName(owner.replace('/', '.'), false, CallGraph.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Each method that can be reached from the table's roots, and the one that leads there; null at
  /// a root.
  private Map<Method, @Nullable Method> reached() {
    Map<Method, @Nullable Method> from = new LinkedHashMap<>();
    ArrayDeque<Method> next = new ArrayDeque<>();
    roots()
        .forEach(root -> {
          if (from.putIfAbsent(root, null) == null) {
            next.add(root);
          }
        });
    for (Method method = next.poll(); method != null; method = next.poll()) {
      for (Method to : leadsTo(method)) {
        if (!from.containsKey(to) && !table.isCut(method, to)) {
          from.put(to, method);
          next.add(to);
        }
      }
    }
    return from;
  }

  /// Its places at which a thread may wait.
  private Set<WaitingPlaces.Place> places(Method method) {
    Body body = bodies.get(method);
    return body == null ? Set.of() : WaitingPlaces.of(body.type(), body.method());
  }

  /// What the threads of the places are wrong about: which of them can be reached, and does not say
  /// so.
  List<String> problems(WaitTable waits) {
    Map<Method, @Nullable Method> from = reached();
    List<String> problems = new ArrayList<>();
    bodies.keySet().stream()
        .filter(method -> table.isNever(method) && from.containsKey(method))
        .map(method -> way(from, method) + ": it is never to run on the trampoline")
        .forEach(problems::add);
    for (Method method : from.keySet()) {
      places(method).stream()
          .filter(place -> !waits.isOnTrampoline(place))
          .map(place ->
              "%s may run on the trampoline, and may wait (%s). Move it: into a coroutine, to a thread beside, or to AsyncLog if it is a line for the log. If it does not wait there, say so in waits.txt; if that way is never taken, in trampoline.txt. The way: %s"
                  .formatted(place.method(), place.what(), way(from, method)))
          .forEach(problems::add);
    }
    return problems;
  }

  private static String way(Map<Method, @Nullable Method> from, Method to) {
    List<String> steps = new ArrayList<>();
    for (Method method = to; method != null; method = from.get(method)) {
      if (!method.any()) {
        steps.addFirst(method.shortName());
      }
    }
    return String.join(" > ", steps);
  }

  private Stream<Method> roots() {
    Stream<Method> named = bodies.keySet().stream().filter(table::isRoot);
    Stream<Method> carrierTasks =
        bodies.values().stream()
            .flatMap(body -> calls(body).stream())
            .map(this::carrierTask)
            .flatMap(Optional::stream);
    return Stream.concat(named, carrierTasks);
  }

  private Optional<Method> carrierTask(Call call) {
    return call.lambda().filter(_ -> isCarrierTask(call.takenBy())).map(CallGraph::bodyOf);
  }

  private boolean isCarrierTask(@Nullable Method taker) {
    return taker != null && table.isCarrierTask(taker);
  }

  private List<Method> leadsTo(Method method) {
    if (method.any()) {
      return overriders(method);
    }
    List<Method> found = new ArrayList<>();
    for (Call call : calls(Objects.requireNonNull(bodies.get(method)))) {
      if (call.element() instanceof InvokeInstruction invoke) {
        found.addAll(called(invoke));
      } else if (call.element() instanceof NewObjectInstruction object) {
        found.addAll(calledBack(object.className().asInternalName()));
      } else {
        call.lambda().filter(_ -> isCalledHere(call)).map(CallGraph::bodyOf).ifPresent(found::add);
      }
    }
    return found;
  }

  /// Whether a library takes a lambda, and does not hand it over, or it is not known who does.
  private boolean isCalledHere(Call call) {
    Method by = call.takenBy();
    return by == null || (!types.containsKey(by.owner()) && !table.isHandOver(by));
  }

  private void keep(Call call) {
    Method by = call.takenBy();
    boolean isKept = by == null || (types.containsKey(by.owner()) && !table.isHandOver(by));
    if (isKept) {
      call.lambda().ifPresent(kept::add);
    }
  }

  // ---- who is called ----

  private List<Method> called(InvokeInstruction call) {
    Method method =
        new Method(
            call.owner().asInternalName(), call.name().stringValue(), call.type().stringValue());
    return switch (call.opcode()) {
      case INVOKESTATIC, INVOKESPECIAL -> inherited(method).stream().toList();
      default -> List.of(method.orOverrider());
    };
  }

  /// By a method reference; a lambda's body is one of its class's own.
  private static Method bodyOf(Lambda lambda) {
    return lambda.body().name().startsWith("lambda$") ? lambda.body() : lambda.body().orOverrider();
  }

  private List<Method> overriders(Method method) {
    if (method.owner().startsWith("[") || method.owner().equals("java/lang/Object")) {
      return List.of();
    }
    Class<?> declared =
        types.containsKey(method.owner()) ? types.get(method.owner()) : load(method.owner());
    List<Method> found = new ArrayList<>();
    types.forEach((name, type) -> {
      if (declared.isAssignableFrom(type)) {
        inherited(new Method(name, method.name(), method.descriptor())).ifPresent(found::add);
      }
    });
    kept.stream()
        .filter(l -> l.type().equals(method.owner()) && l.method().equals(method.name()))
        .forEach(l -> found.add(bodyOf(l)));
    return found;
  }

  private Optional<Method> inherited(Method method) {
    for (Class<?> type = types.get(method.owner()); type != null; type = type.getSuperclass()) {
      String owner = type.getName().replace('.', '/');
      Method there = new Method(owner, method.name(), method.descriptor());
      Body body = bodies.get(there);
      if (body != null && !body.method().flags().has(AccessFlag.ABSTRACT)) {
        return Optional.of(there);
      }
    }
    return inheritedFromInterface(types.get(method.owner()), method);
  }

  private Optional<Method> inheritedFromInterface(@Nullable Class<?> type, Method method) {
    if (type == null) {
      return Optional.empty();
    }
    return Stream.concat(Stream.of(type.getInterfaces()), Stream.ofNullable(type.getSuperclass()))
        .map(parent -> {
          String owner = parent.getName().replace('.', '/');
          Method there = new Method(owner, method.name(), method.descriptor());
          Body body = bodies.get(there);
          return body != null && !body.method().flags().has(AccessFlag.ABSTRACT)
              ? Optional.of(there)
              : inheritedFromInterface(parent, method);
        })
        .flatMap(Optional::stream)
        .findFirst();
  }

  /// The methods of an object of ours that a library's type declares.
  private List<Method> calledBack(String name) {
    Class<?> type = types.get(name);
    if (type == null || Thread.class.isAssignableFrom(type)) {
      return List.of();
    }
    return bodies.keySet().stream()
        .filter(m -> m.owner().equals(name) && isDeclaredElsewhere(type, m))
        .toList();
  }

  private boolean isDeclaredElsewhere(Class<?> type, Method method) {
    return Stream.concat(Stream.of(type.getInterfaces()), Stream.ofNullable(type.getSuperclass()))
        .filter(parent -> parent != Object.class)
        .anyMatch(parent -> isForALibrary(parent, method) || isDeclaredElsewhere(parent, method));
  }

  private boolean isForALibrary(Class<?> parent, Method method) {
    return !types.containsKey(parent.getName().replace('.', '/'))
        && parent != Runnable.class
        && parent != java.util.concurrent.Callable.class
        && Stream.of(parent.getDeclaredMethods()).anyMatch(m -> m.getName().equals(method.name()));
  }

  // ---- what stands in a body ----

  /// @param takenBy the call that takes the lambda; null: none, or not known
  private record Call(CodeElement element, @Nullable Method takenBy) {
    Optional<Lambda> lambda() {
      if (!(element instanceof InvokeDynamicInstruction made)) {
        return Optional.empty();
      }
      return made.bootstrapArgs().stream()
          .filter(DirectMethodHandleDesc.class::isInstance)
          .map(DirectMethodHandleDesc.class::cast)
          .findFirst()
          .map(body ->
              new Lambda(
                  internal(made.typeSymbol().returnType()),
                  made.name().stringValue(),
                  new Method(internal(body.owner()), body.methodName(), body.lookupDescriptor())));
    }
  }

  private static String internal(ClassDesc type) {
    String descriptor = type.descriptorString();
    return descriptor.startsWith("L")
        ? descriptor.substring(1, descriptor.length() - 1)
        : descriptor;
  }

  private List<Call> calls(Body body) {
    return callsOf.computeIfAbsent(body, CallGraph::read);
  }

  private static List<Call> read(Body body) {
    List<CodeElement> code = body.method().code().map(c -> c.elementList()).orElse(List.of());
    List<Call> found = new ArrayList<>();
    for (int i = 0; i < code.size(); i++) {
      switch (code.get(i)) {
        case InvokeInstruction call -> found.add(new Call(call, null));
        case NewObjectInstruction object -> found.add(new Call(object, null));
        case InvokeDynamicInstruction made -> found.add(new Call(made, takenBy(code, i)));
        default -> {}
      }
    }
    return found;
  }

  private static @Nullable Method takenBy(List<CodeElement> code, int index) {
    InvokeInstruction call = LambdaUse.find(code, index);
    return call == null
        ? null
        : new Method(
            call.owner().asInternalName(), call.name().stringValue(), call.type().stringValue());
  }
}
