#!/usr/bin/env python3
"""Records functions written in Triton, and functions that a graph compiler makes
kernels of: each kernel's PTX, its launch, and its buffers before and after.

    triton_functions.py OUT        needs an sm_90 GPU, torch and triton
    triton_functions.py OUT --templates    the graph compiler's own templates, and
                                   products by Triton, instead
    triton_functions.py OUT --share I/N    every N-th function from the I-th on
    triton_functions.py OUT --only NAME    those whose names have NAME

OUT gets the modules, the buffers and index.json, from which triton_jobs.py makes
jobs; OUT.tar.gz has it all. A function that fails is named in OUT/log.txt, and
the others go on: each runs in a process that may die or hang, and a new process
goes on behind it.

Buffers are whole allocations, and an argument an offset into one. A function is
called once to compile and to choose among configurations, then once recorded.
"""
import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import tarfile
import time
import traceback

LIMIT_S = 120             # of one function
BYTES_LIMIT = 2 << 20     # of one buffer


def prepare(out):
    """What must stand before torch is imported."""
    cache = os.path.join(os.path.abspath(out), 'cache')
    os.environ.setdefault('TORCHINDUCTOR_CACHE_DIR', cache + '/inductor')
    os.environ.setdefault('TRITON_CACHE_DIR', cache + '/triton')
    os.environ['TORCHINDUCTOR_COMPILE_THREADS'] = '1'
    os.environ['TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER'] = '0'
    os.environ['TORCHINDUCTOR_USE_STATIC_TRITON_LAUNCHER'] = '0'
    os.environ['TORCHINDUCTOR_FX_GRAPH_CACHE'] = '0'
    os.environ['TORCHINDUCTOR_AUTOGRAD_CACHE'] = '0'


# ---- what a launch was ----

class Recorder:
    """Notes of launches while it is on."""

    def __init__(self, torch):
        self.torch = torch
        self.on = False
        self.launches = []
        self.kernels = {}   # of a function's handle
        self.notes = []

    def bytes_of(self, tensor):
        torch = self.torch
        storage = tensor.untyped_storage()
        if storage.nbytes() > BYTES_LIMIT:
            raise ValueError('a buffer of %d bytes' % storage.nbytes())
        flat = torch.empty(0, dtype=torch.uint8, device=tensor.device)
        flat.set_(storage)
        flat = flat.cpu()
        try:
            return flat.numpy().tobytes()
        except Exception:   # no numpy there
            return bytes(flat.tolist())

    def before(self, values):
        """The launch's buffers, and each argument as an offset or a value."""
        self.torch.cuda.synchronize()
        buffers, places, arguments = [], {}, []
        for value in values:
            if not self.torch.is_tensor(value):
                arguments.append(value if isinstance(value, (int, float, bool))
                                 else repr(value))
                continue
            start = value.untyped_storage().data_ptr()
            if start not in places:
                places[start] = len(buffers)
                buffers.append([value, str(value.dtype), self.bytes_of(value), None])
            arguments.append({'buffer': places[start],
                              'offset': value.data_ptr() - start,
                              'type': str(value.dtype)})
        return buffers, arguments

    def after(self, buffers):
        self.torch.cuda.synchronize()
        for b in buffers:
            b[3] = self.bytes_of(b[0])
            b[0] = None

    def add(self, kernel, grid, buffers, arguments, types):
        self.after(buffers)
        meta = kernel.metadata
        self.launches.append({
            'ptx': kernel.asm['ptx'], 'entry': getattr(meta, 'name', None),
            'grid': [int(g) for g in grid],
            'block': 32 * int(meta.num_warps),
            'shared': int(meta.shared),
            'clusters': int(getattr(meta, 'num_ctas', 1) or 1),
            'scratch': int(getattr(meta, 'global_scratch_size', 0) or 0),
            'registers': getattr(kernel, 'n_regs', None),
            'types': types, 'buffers': buffers, 'arguments': arguments})


def signature_of(source):
    """The types of a compiled function's parameters, constants as such."""
    signature = getattr(source, 'signature', None)
    if not isinstance(signature, dict):
        return None
    return [str(t) for t in signature.values()]


def real_arguments(rest, types):
    """Those of a launcher's values that the kernel has as parameters: they
    stand last, with its constants or without."""
    kept = [t for t in types if t != 'constexpr']
    for skipped in (4, 5, 3, 6):
        values = rest[skipped:]
        if len(values) == len(types):
            return [v for v, t in zip(values, types) if t != 'constexpr'], kept
    if len(rest) >= len(kept):
        return list(rest[len(rest) - len(kept):]), kept
    raise ValueError('%d values for %s' % (len(rest), types))


def watch_launcher(recorder):
    """Launches of Triton's own launcher, which the graph compiler uses too."""
    from triton.backends.nvidia import driver
    from triton.compiler import compiler
    launcher = driver.CudaLauncher
    init_handles = compiler.CompiledKernel._init_handles
    call, init = launcher.__call__, launcher.__init__

    def handles(self, *a, **k):
        result = init_handles(self, *a, **k)
        recorder.kernels[getattr(self, 'function', None)] = self
        return result

    def watched_init(self, src, metadata, *a, **k):
        init(self, src, metadata, *a, **k)
        try:
            self._recorded_types = signature_of(src)
        except Exception as e:
            recorder.notes.append('launcher: %r' % e)

    def watched_call(self, gx, gy, gz, stream, function, *rest, **k):
        kernel = recorder.kernels.get(function) if recorder.on else None
        if kernel is None:
            if recorder.on:
                recorder.notes.append('a function that no kernel has')
            return call(self, gx, gy, gz, stream, function, *rest, **k)
        types = getattr(self, '_recorded_types', None) or signature_of(kernel.src)
        values, kept = real_arguments(rest, types)
        buffers, arguments = recorder.before(values)
        result = call(self, gx, gy, gz, stream, function, *rest, **k)
        recorder.add(kernel, (gx, gy, gz), buffers, arguments, kept)
        return result

    compiler.CompiledKernel._init_handles = handles
    launcher.__init__, launcher.__call__ = watched_init, watched_call


class StoredKernel:
    """A kernel whose launcher knows its name alone: its text is in the cache."""

    def __init__(self, launcher):
        self.metadata = self
        self.name = launcher.name
        self.num_warps = launcher.num_warps
        self.shared = launcher.shared
        self.n_regs = getattr(launcher, 'n_regs', None)
        found = []
        for root in {os.environ['TRITON_CACHE_DIR'],
                     os.environ['TORCHINDUCTOR_CACHE_DIR']}:
            for folder, _, files in os.walk(root):
                found += [os.path.join(folder, f) for f in files
                          if f == self.name + '.ptx']
        if not found:
            raise ValueError('no text of %s in the cache' % self.name)
        self.asm = {'ptx': open(max(found, key=os.path.getmtime)).read()}


STATIC_TYPES = {'O': '*', 'i': 'i32', 'I': 'u32', 'l': 'i64', 'K': 'u64',
                'h': 'i16', 'H': 'u16', 'b': 'i8', 'B': 'u8', 'f': 'fp32',
                'd': 'fp64'}


def watch_static(recorder):
    """Launches of the graph compiler's own launcher, where it can't be left out."""
    launchers = set()
    for name in ('static_cuda_launcher', 'static_triton_launcher'):
        try:
            module = importlib.import_module('torch._inductor.runtime.' + name)
        except ImportError:
            continue
        launchers |= {c for c in vars(module).values()
                      if isinstance(c, type) and 'run' in vars(c)
                      and c.__name__.startswith('StaticallyLaunched')}
    for launcher in launchers:
        run = launcher.run

        def watched(self, gx, gy, gz, stream, *values, _run=run):
            if not recorder.on:
                return _run(self, gx, gy, gz, stream, *values)
            kernel = StoredKernel(self)
            buffers, arguments = recorder.before(values)
            result = _run(self, gx, gy, gz, stream, *values)
            recorder.add(kernel, (gx, gy, gz), buffers, arguments,
                         [STATIC_TYPES.get(t, t) for t in self.arg_tys])
            return result

        launcher.run = watched


# ---- functions ----

def run_triton(recorder, row):
    """By the launcher if it is seen; else by what the call itself says."""
    kernel, grid, arguments, options = row
    kept = [a.clone() if recorder.torch.is_tensor(a) else a for a in arguments]
    kernel[grid](*kept, **options)
    recorder.torch.cuda.synchronize()
    buffers, places = recorder.before(arguments)
    recorder.on = True
    compiled = kernel[grid](*arguments, **options)
    recorder.on = False
    if recorder.launches:
        return
    recorder.notes.append('the launcher was not seen: taken from the call')
    types = [t for t in signature_of(compiled.src) or [] if t != 'constexpr']
    recorder.add(compiled, tuple(grid) + (1,) * (3 - len(grid)), buffers, places,
                 types)


def run_torch(recorder, row):
    torch = recorder.torch
    function, inputs = row
    torch._dynamo.reset()
    compiled = torch.compile(function, dynamic=False, fullgraph=True)
    with torch.no_grad():
        compiled(*inputs)
        torch.cuda.synchronize()
        recorder.on = True
        compiled(*inputs)
        torch.cuda.synchronize()
    recorder.on = False
    if not recorder.launches:
        raise ValueError('no launch was seen')


# ---- templates ----

def pick_choices(recorder):
    """The compiler takes the configuration that the recorder's pick says, and
    measures none."""
    from torch._inductor import select_algorithm
    selector = select_algorithm.AlgorithmSelectorCache
    select = selector.__call__

    def picked(self, name, choices, *a, **k):
        own = [c for c in choices if type(c).__name__ == 'TritonTemplateCaller']
        if not own:
            recorder.notes.append('%s: no template of %d' % (name, len(choices)))
            return select(self, name, choices, *a, **k)
        at = recorder.pick % len(own)
        recorder.notes.append('%s: %d of %d, %s' % (
            name, at, len(own), getattr(own[at], 'description', '')))
        return select(self, name, [own[at]], *a, **k)

    selector.__call__ = picked


def run_template(recorder, function, inputs, options):
    """One configuration of a template, forwards, or backwards too."""
    torch = recorder.torch
    import torch._inductor.config as config
    known = {'max_autotune': True, 'max_autotune_gemm': True,
             'max_autotune_gemm_backends': 'TRITON',
             'max_autotune_conv_backends': 'TRITON',
             'autotune_in_subproc': False, **options.get('config', {})}
    torch.backends.cuda.matmul.allow_tf32 = options.get('tf32', False)
    torch._dynamo.reset()
    grad = options.get('grad', False)
    if grad:
        inputs = [x.requires_grad_(True) for x in inputs]
    with config.patch(known), torch.set_grad_enabled(grad):
        compiled = torch.compile(function, dynamic=False, fullgraph=True)

        def call():
            result = compiled(*inputs)
            if grad:
                result.backward(torch.ones_like(result))
            torch.cuda.synchronize()

        call()
        recorder.on = True
        call()
    recorder.on = False
    if not recorder.launches:
        raise ValueError('no launch was seen')


def save(out, name, kind, source, launches):
    rows = []
    for n, launch in enumerate(launches):
        stem = '%s_%d' % (name, n)
        with open('%s/%s.ptx' % (out, stem), 'w') as f:
            f.write(launch.pop('ptx'))
        saved = []
        for b, (_, dtype, before, after) in enumerate(launch.pop('buffers')):
            files = '%s.b%d' % (stem, b)
            with open('%s/%s.in' % (out, files), 'wb') as f:
                f.write(before)
            if after != before:
                with open('%s/%s.out' % (out, files), 'wb') as f:
                    f.write(after)
            saved.append({'type': dtype, 'bytes': len(before), 'in': files + '.in',
                          'out': files + '.out' if after != before else None})
        rows.append(dict(launch, name=stem, function=name, kind=kind,
                         source=source, buffers=saved))
    return rows


def template_work(recorder):
    pick_choices(recorder)
    import torch_templates

    def one(pick, function, make, options):
        def run():
            recorder.pick = pick
            run_template(recorder, function, make(), options)
        return run

    return [('template_%s_%d' % (n, i), 'template', 'template',
             one(pick, f, m, o)) for n, f, m, o in torch_templates.TEMPLATES
            for i, pick in enumerate(o['picks'])] + tensor_work()


def tensor_work():
    """Kernels with descriptors, for which Triton asks for memory."""
    import triton
    import triton_tensor
    triton.set_allocator(triton_tensor.scratch)
    return [('tensor_' + n, 'tensor', 'triton', m) for n, m in triton_tensor.TENSOR]


def child(out, first, templates, share, only):
    prepare(out)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import torch
    import triton
    recorder = Recorder(torch)
    print('torch %s triton %s %s' % (torch.__version__, triton.__version__,
                                     torch.cuda.get_device_name()), flush=True)
    for watch in (watch_launcher, watch_static):
        try:
            watch(recorder)
        except Exception as e:
            print('NOTE %s: %r' % (watch.__name__, e), flush=True)
    import triton_kernels
    work = [('triton_' + n, k, 'triton', m) for n, k, m in triton_kernels.TRITON]
    try:
        import torch._inductor.config as config
        for name in ('use_static_cuda_launcher', 'use_static_triton_launcher'):
            if hasattr(config, name):
                setattr(config, name, False)
        import torch_functions
        work += [('torch_' + n, k, 'torch', (f, m))
                 for n, k, f, m in torch_functions.TORCH]
        if templates:
            work = template_work(recorder)
    except Exception:
        print('NOTE no graph compiler: ' + traceback.format_exc(), flush=True)
    for at, (name, kind, source, make) in enumerate(work):
        if at < first or at % share[1] != share[0] or only not in name:
            continue
        print('AT %d %s' % (at, name), flush=True)
        recorder.launches, recorder.notes, recorder.on = [], [], False
        try:
            torch.manual_seed(at + 1)
            if source == 'triton':
                run_triton(recorder, make())
            elif source == 'torch':
                run_torch(recorder, (make[0], make[1]()))
            else:
                make()
            rows = save(out, name, kind, source, recorder.launches)
            with open('%s/rows/%03d.json' % (out, at), 'w') as f:
                json.dump(rows, f)
            print('OK %s: %d launches %s' % (name, len(rows), recorder.notes),
                  flush=True)
        except Exception as e:
            recorder.on = False
            print('FAIL %s: %s %s' % (name, traceback.format_exc()[-1500:],
                                      recorder.notes), flush=True)
            try:
                torch.cuda.synchronize()
            except Exception:
                sys.exit(3)   # the context is lost: a new process goes on
    print('END', flush=True)


def progress(log):
    text = open(log).read()
    seen = re.findall(r'^AT (\d+)', text, re.M)
    return int(seen[-1]) if seen else -1, text.rstrip().endswith('END')


def parent(out, seconds, more):
    os.makedirs(out + '/rows', exist_ok=True)
    log, first, began = out + '/log.txt', 0, time.time()
    open(log, 'w').close()
    while time.time() - began < seconds:
        with open(log, 'a') as f:
            process = subprocess.Popen(
                [sys.executable, os.path.abspath(__file__), out, '--first',
                 str(first), *more], stdout=f, stderr=subprocess.STDOUT)
        at, since = -1, time.time()
        while process.poll() is None:
            time.sleep(0.5)
            now = progress(log)[0]
            if now != at:
                at, since = now, time.time()
            if time.time() - since > LIMIT_S or time.time() - began > seconds:
                process.kill()
                process.wait()
        at, ended = progress(log)
        if ended or at < first:
            break
        with open(log, 'a') as f:
            f.write('DIED at %d: status %s\n' % (at, process.returncode))
        first = at + 1
    rows = []
    for name in sorted(os.listdir(out + '/rows')):
        rows += json.load(open(out + '/rows/' + name))
    with open(out + '/index.json', 'w') as f:
        json.dump(rows, f, indent=0)
    with tarfile.open(out.rstrip('/') + '.tar.gz', 'w:gz') as tar:
        for name in sorted(os.listdir(out)):
            if name not in ('cache', 'rows'):
                tar.add(os.path.join(out, name), name)
    text = open(log).read()
    print('%d functions recorded, %d failed, %d launches; %s has why' % (
        len(re.findall('^OK', text, re.M)), len(re.findall('^FAIL|^DIED', text, re.M)),
        len(rows), log))
    print('\n'.join(re.findall(r'^(?:torch |FAIL|NOTE|DIED).*', text, re.M))[:6000])


def main():
    p = argparse.ArgumentParser()
    p.add_argument('out')
    p.add_argument('--first', type=int)
    p.add_argument('--seconds', type=int, default=540)
    p.add_argument('--templates', action='store_true')
    p.add_argument('--share', default='0/1')
    p.add_argument('--only', default='')
    a = p.parse_args()
    if a.first is None:
        parent(a.out, a.seconds, ['--share', a.share, '--only', a.only] +
               a.templates * ['--templates'])
    else:
        child(a.out, a.first, a.templates, [int(n) for n in a.share.split('/')],
              a.only)


if __name__ == '__main__':
    main()
